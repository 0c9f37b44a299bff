"""Local recoding: rows may have different levels, and every released class meets the goals.

A *class* is a set of combinations that are released with the same labels: by column, the lowest node of the hierarchy
above all of their values. Three steps find classes that lose little:

1. sweep: visit the level vectors by ascending loss, and release every cell that meets the goals (`stages.py`);
2. place: every remaining combination joins the class where that costs least (`polish.py`);
3. polish: combinations leave their class for a better one, and classes are dissolved (`polish.py`).

In *parts*, members of classes are pieces of combinations: some rows with equal quasi-identifiers and sensitive values.
The same steps follow those for whole combinations (`parts.py`): of a cell that fails, the sweep draws the largest part
that holds, and a combination that cannot be placed or moved as a whole is divided.

Goals are judged class by class, always against the whole table (`judge.py`). The returned release was evaluated by the
goals themselves (`recode.py`).
"""
