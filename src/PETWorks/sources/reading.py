"""How files are read, as far as the caller says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

from PETWorks.errors import ParameterError, did_you_mean, shown

ValueLabels = Literal["text", "codes"]
LABELS = ("text", "codes")
KINDS = {  # what each entry is about
    "delimiter": "a CSV file",
    "encoding": "a text file",
    "sheet": "a workbook",
    "value_labels": "a file of SPSS or Stata",
}


class Table(Protocol):
    """A source, as far as it says which entries it is read with."""

    @property
    def read_with(self) -> Sequence[str]:
        """The entries of a `Reading` that matter to this kind of table."""


class Reading(NamedTuple):
    """What the caller says about files; None means the default."""

    delimiter: str | None = None  # of CSV cells; None: detected
    encoding: str | None = None  # of text; None: detected
    sheet: str | None = None  # of a workbook; None: its only one
    value_labels: str | None = None  # of SPSS and Stata files: "text" (the default), or "codes"

    def require_valid(self) -> Reading:
        """Return it; raise an error if an entry is not text, or not a known word."""
        for name, given in self._asdict().items():
            if given is not None and not isinstance(given, str):
                raise ParameterError(f"{name} must be text, not {shown(given)}")
        if self.value_labels not in (None, *LABELS):
            hint = did_you_mean(self.value_labels, LABELS)
            raise ParameterError(f"value_labels cannot be {self.value_labels!r}", hint=hint)
        return self

    def require_used(self, *tables: Table | None) -> None:
        """Raise an error if an entry matters to none of the tables: the caller takes one of them for something else."""
        used = {name for table in tables if table is not None for name in table.read_with}
        for name, given in self._asdict().items():
            if given is not None and name not in used:
                problem = f"{name} {shown(given)} has no effect: no table is {KINDS[name]}"
                raise ParameterError(problem, hint=f"leave out {name}=, or check which file is meant")
