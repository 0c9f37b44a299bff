"""What one running application knows besides its project: language, files that may be opened, and who may see what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request

from PETWorks.app.chooser import Chooser
from PETWorks.app.desk import Desk
from PETWorks.errors import PETWorksError
from PETWorks.presentation import Language

NAMES = ("open", "columns", "hierarchies", "requirements", "explore", "compare", "release")  # the steps, from 1 on


class Standing(NamedTuple):
    """What the bar of steps tells of a step: whether it is done, and a few words."""

    done: bool
    words: Markup = Markup()


class Step(NamedTuple):
    """An entry of the bar of steps."""

    number: int
    name: str
    address: str
    title: Markup
    standing: Standing


Teller = Callable[[Desk, Callable[..., Markup]], Standing]


@dataclass
class Running:
    """One running application, which has one project open at a time, or none."""

    chooser: Chooser
    language: Language = "en"
    memory: Mapping[str, Any] = field(default_factory=dict)
    desk: Desk | None = None
    tellers: Mapping[str, Teller] = field(default_factory=dict)  # by the name of the step
    _small: dict[str, str] = field(default_factory=dict)  # addresses where small figures are shown, by a word in them

    def steps(self, desk: Desk | None, say: Callable[..., Markup]) -> Sequence[Step]:
        """Return the bar of steps."""
        steps = []
        for number, name in enumerate(NAMES, 1):
            standing = Standing(done=False)
            if desk and name in self.tellers:
                with suppress(PETWorksError):  # the table cannot be read; the screen says why
                    standing = self.tellers[name](desk, say)
            steps.append(Step(number, name, "/" if number == 1 else f"/{name}", say(f"frame_step_{name}"), standing))
        return steps

    def close(self) -> None:
        """Let the project go."""
        if self.desk:
            self.desk.close()
        self.desk = None

    def show_small(self, path: str) -> str:
        """Allow one page to show what describes fewer than five people; return the word that its address must have."""
        word = token_urlsafe(12)
        self._small[word] = path
        return word

    def shows_small(self, request: Request) -> bool:
        """Return True if this page may show what describes fewer than five people; another page ends that."""
        word = request.query_params.get("small") or request.headers.get("x-small", "")
        if request.headers.get("x-fragments") == "1":
            return word in self._small
        for other in [one for one in self._small if one != word]:
            del self._small[other]
        return self._small.get(word) == request.url.path
