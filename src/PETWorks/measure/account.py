"""The account of how a release was made, to be printed and displayed in a language."""

from __future__ import annotations

from dataclasses import dataclass

from PETWorks.explain.step import Step
from PETWorks.measure.display import Displayed
from PETWorks.measure.result import Result
from PETWorks.presentation import Language, presenter


@dataclass(frozen=True, repr=False)
class Account(Displayed):
    """What was made, the goals and the utility as measured, and how it came about; it names no value and no class."""

    head: Step
    results: tuple[Result, ...]  # of the goals and the utility measure
    remarks: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    language: Language = "en"

    def __str__(self) -> str:
        """Write it for people."""
        return presenter().account_text(self, self.language)

    __repr__ = __str__
