"""How files are read, as far as the caller says."""

from __future__ import annotations

from typing import Literal, NamedTuple

from PETWorks.errors import ParameterError, did_you_mean, shown

ValueLabels = Literal["text", "codes"]
LABELS = ("text", "codes")


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
