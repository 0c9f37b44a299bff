"""Local recoding: rows may have different levels, and every released class meets the goals.

A *class* is a set of combinations that are released with the same labels: by column, the lowest node of the hierarchy
that is above all of their values. Three steps find classes that lose little:

1. sweep: visit the level vectors by ascending loss, and release every cell that meets the goals (`sweep.py`);
2. place: everybody who is left joins the class where that costs least (`place.py`);
3. polish: combinations leave their class for a better one, classes are dissolved (`polish.py`).

In *parts*, members of classes are pieces of combinations: some rows with equal quasi-identifiers and sensitive values.
The same steps are taken after those for combinations as a whole (`part_stages.py`): of a cell that fails, the sweep
draws the largest part that holds (`draw.py`), and what cannot be placed or moved at once is divided (`pieces.py`).

Goals are judged class by class, always against the whole table (`judge.py`). What is returned was measured by the
goals themselves, as a release (`recode.py`).
"""
