"""How results show themselves: as tables in a terminal (with rich) and in a notebook, in a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType


class Displayed:
    """Something that shows itself as a table: by `rich.print` in a terminal, by its name alone in a notebook.

    It does so in English, unless it has another language. What is shown is the analyst's own, complete; what is to be
    passed on, `guarded()` gives.
    """

    language: str = "en"

    @property
    def shown(self) -> Any:  # noqa: ANN401 (a result, an evaluation or an explanation)
        """What is shown."""
        return self

    def __rich__(self) -> RenderableType:
        """Draw it in a terminal."""
        from PETWorks.render.tables import as_rich

        return as_rich(self.shown, self.language)

    def _repr_html_(self) -> str:
        """Draw it in a notebook."""
        from PETWorks.render.tables import as_html

        return as_html(self.shown, self.language)


@dataclass(frozen=True, repr=False)
class InLanguage(Displayed):
    """A result or an evaluation in one language: printed, in a terminal, in a notebook."""

    subject: Any
    language: str

    @property
    def shown(self) -> Any:  # noqa: ANN401
        """What is shown."""
        return self.subject

    def __str__(self) -> str:
        """Write it as text."""
        return str(self.subject.text(self.language))

    __repr__ = __str__
