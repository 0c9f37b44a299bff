"""What the screen of the release shows after writing, in the reader's language."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from markupsafe import Markup

from PETWorks.answer.requirement import Requirement
from PETWorks.answer.view import View
from PETWorks.app.answering import Say
from PETWorks.app.as_text import after_writing
from PETWorks.app.desk import Desk
from PETWorks.app.identifiers import but, published_of
from PETWorks.app.screens.release.after import RECORD, Measured, target_of
from PETWorks.app.screens.release.settings import Cell, columns_of
from PETWorks.facts.notes import Name
from PETWorks.render.numbers import four_digits
from PETWorks.render.page import answer, making
from PETWorks.render.page.requirements import entry_of
from PETWorks.render.page.svg import bar, strip
from PETWorks.render.words import words
from PETWorks.utility.granularity import Granularity


class AfterView:
    """The file as it was measured."""

    def __init__(self, found: Measured, desk: Desk, language: str, say: Say) -> None:
        self._view, self._language, self._say, self._file = found.view, language, say, target_of(desk).name
        self._published = published_of(desk)
        self.hidden = _hidden(columns_of(desk), say)
        self.time = datetime.fromtimestamp(target_of(desk).stat().st_mtime).astimezone().isoformat(timespec="seconds")
        self.said = found.said
        counted = self._spoken(answer.counted(found.view.scope.known))
        self.legal = say("release_legal") + words(language).gap + counted
        self.commands = after_writing(desk.draft, str(desk.draft.section("report").get("json", RECORD)))
        self.entries = [self._entry(one) for one in found.view.requirements]
        told = answer.section(found.view)
        self.bands = [{**band, "label": self._spoken(band["label"])} for band in told["bands"]]
        self.strip = strip([(band["kind"], band["share"]) for band in self.bands], 30)
        most = max([1, *(one.people for one in found.if_known)])
        self.if_known = [
            {
                "name": Name(one.column),
                "role": one.role,
                "people": one.people,
                "bar": bar(one.people / most, "d2", height=12),
            }
            for one in found.if_known
        ]

    @property
    def view(self) -> View:
        """What a report shows."""
        return self._view

    @property
    def counts(self) -> dict[str, int]:
        """How many requirements hold, and how many do not."""
        verdicts = [one.holds for one in self._view.requirements]
        return {
            "all": len(verdicts),
            "holds": verdicts.count(True),
            "fails": verdicts.count(False),
            "unasked": verdicts.count(None),
        }

    @property
    def status(self) -> str:
        """The mark beside the headline."""
        return "fails" if self._published else self._verdict

    @property
    def _verdict(self) -> str:
        counts = self.counts
        return "fails" if counts["fails"] else "waits" if counts["unasked"] or not counts["all"] else "holds"

    @property
    def headline(self) -> Markup:
        """The answer of the screen."""
        kind = {"fails": "release_h1_fails", "waits": "release_h1_some", "holds": "release_h1_holds"}[self._verdict]
        return but(self._say(kind, file=Name(self._file), **self.counts), self._published, self._say)

    @property
    def lead(self) -> Markup:
        """What was written, in figures."""
        scope, sizes = self._view.scope, self._view.sizes
        figures = {
            "file": Name(self._file),
            "rows": scope.rows,
            "suppressed": scope.suppressed,
            "share": scope.suppressed / scope.rows if scope.rows else 0,
            "classes": scope.classes,
            "least": min(sizes, default=0),
        }
        told = self._say("release_lead", **figures)
        kept = self._view.find(Granularity)
        if kept is not None and kept.value is not None:
            told += Markup(" ") * (self._language == "en") + self._say(
                "release_lead_kept", share=kept.value, value=four_digits(kept.value)
            )
        return told

    @property
    def making(self) -> dict[str, Any]:
        """How it was made, and how that is known to be the best; nothing if that is in the record only."""
        told = making.section(self._view)
        if not told["told"]:
            return {}
        return {key: self._spoken(told[key]) or "" for key in ("sentences", "proof", "sum")}

    @property
    def tables(self) -> list[tuple[str, str, str]]:
        """The tables that were read: their role, name and digest."""
        return [(one.role, one.name, one.digest or "") for one in self._view.record.inputs]

    def _entry(self, one: Requirement) -> dict[str, Any]:
        entry = entry_of(one, {})
        parts = [{key: self._spoken(value) for key, value in part.items()} for part in entry["parts"]]
        return {**entry, "title": self._spoken(entry["title"]), "reason": self._spoken(entry["reason"]), "parts": parts}

    def _spoken(self, said: Any) -> Any:  # noqa: ANN401
        """Return the text of the reader's language, where there are several."""
        return Markup(said.texts[self._language]) if hasattr(said, "texts") else said  # noqa: S704 (escaped)


def _hidden(columns: Sequence[Cell], say: Say) -> Markup:
    """Say what became of the identifiers; nothing if there are none."""
    marked = [Name(one.column) for one in columns if one.what == "release_column_marked"]
    dropped = [Name(one.column) for one in columns if one.what == "release_column_dropped"]
    if dropped:
        return say("release_done_dropped", columns=dropped)
    kind = "release_done_identifiers" if len(marked) == 1 else "release_done_identifiers_many"
    return say(kind, columns=marked) if marked else Markup()
