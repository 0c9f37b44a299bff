"""Display of results as tables: in a terminal (with rich) and in a notebook, in a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PETWorks.presentation import presenter

if TYPE_CHECKING:
    from rich.console import RenderableType


class Displayed:
    """An object that is displayed as a table, by `rich.print` in a terminal and as the last value of a notebook cell.

    The language is English unless set. Nothing is withheld, because the analyst may see everything; `guarded()` returns
    what may be passed on.
    """

    language: str = "en"

    def _subject(self) -> Any:  # noqa: ANN401 (a result, an evaluation or an explanation)
        return self

    def __rich__(self) -> RenderableType:
        """Return the table for a terminal."""
        return presenter().as_rich(self._subject(), self.language)

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook."""
        return presenter().as_html(self._subject(), self.language)


@dataclass(frozen=True, repr=False)
class InLanguage(Displayed):
    """A result or an evaluation that is printed and displayed in one language."""

    content: Any
    language: str

    def _subject(self) -> Any:  # noqa: ANN401
        return self.content

    def __str__(self) -> str:
        """Write it as text."""
        return str(self.content.text(self.language))

    __repr__ = __str__
