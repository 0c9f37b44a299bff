"""Notes that put no value in doubt, and yet stand below the answer in every output."""

from __future__ import annotations

from fractions import Fraction

from PETWorks.answer.evaluation import Evaluation
from PETWorks.facts.notes import BELOW, FEW_SUPPRESSED, Note


def told_below(evaluation: Evaluation) -> list[Note]:
    """Return these notes, each once; of those on suppressed rows of few people, the one that says most."""
    found = sorted((note for result in evaluation.all_results for note in result.told_below), key=_order)
    few = [note for note in found if note.kind == FEW_SUPPRESSED][:1]
    return few + [note for place, note in enumerate(found) if note.kind != FEW_SUPPRESSED and note not in found[:place]]


def few_suppressed(evaluation: Evaluation) -> list[Note]:
    """Return the note on suppressed rows of few people, if there is one."""
    return [note for note in told_below(evaluation) if note.kind == FEW_SUPPRESSED]


def _order(note: Note) -> tuple[int, Fraction]:
    return BELOW.index(note.kind), note.figures["size"].exact if note.kind == FEW_SUPPRESSED else Fraction(0)
