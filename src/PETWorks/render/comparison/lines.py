"""The lines of a comparison, the same in every format: what is compared, and a text for each release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PETWorks.disclosure.comparison import (
    CHANGES,
    ColumnRow,
    ComparedRelease,
    ComparisonRow,
    ComparisonView,
    Loser,
    NoLoser,
)
from PETWorks.measure.losses import Utility
from PETWorks.measure.result import Result
from PETWorks.measure.steps import Cell, Name
from PETWorks.premises.accept import PREMISES
from PETWorks.render.fill import PLAIN, Medium, ShownFigure, fill
from PETWorks.render.lines import LineWriter
from PETWorks.render.parts import write_part_label
from PETWorks.render.premises import PremiseLine, PremiseWriter
from PETWorks.render.text import note_text, warning_text
from PETWorks.shown import Exact, show_count, show_exactly
from PETWorks.tables.counting.tally import cell_text

VERDICTS = {True: "holds", False: "fails", None: ""}
PREMISE_MARKS = {"fails": "fails", "holds": "holds", "accepted": "na", "unchecked": "na"}


@dataclass(frozen=True)
class ComparisonEntry:
    """The text about one release in a line."""

    text: str
    verdict: str = ""  # "holds", "fails", "na", or "" if nothing is judged
    best: bool = False
    share: float | None = None  # for a bar, from 0 to 1


@dataclass(frozen=True)
class ComparisonLine:
    """A line: what is compared, a remark on it, and an entry for each release."""

    label: str
    remark: str
    entries: tuple[ComparisonEntry, ...]
    differs: bool


class ComparisonWriter(LineWriter):
    """A writer of the lines of a comparison."""

    def __init__(self, view: ComparisonView, language: str = "en", medium: Medium = PLAIN) -> None:
        super().__init__(language, medium)
        self.view = view

    def write_page_text(self, key: str, /, **figures: ShownFigure) -> str:
        """Fill one of the templates of the page."""
        return fill(self.word.page[key], figures, self.word, self.medium)

    def write_headline(self) -> tuple[str, str]:
        """Return the overall verdict, and the sentence for it."""
        candidates = self.view.candidates
        holding = [one.letter for one in candidates if one.holds]
        figures = show_exactly({"all": len(candidates), "holds": len(holding)})
        if not self.view.required:
            status, key = "na", "cmp_no_requirements"
        elif len(holding) == len(candidates):
            status, key = "holds", "cmp_both_hold" if len(holding) == 2 else "cmp_all_hold"  # noqa: PLR2004
        elif holding and any(one.holds is None for one in candidates):
            status, key = "holds", "cmp_known_holds"
        elif holding:
            status, key = "holds", "cmp_one_holds" if len(holding) == 1 else "cmp_some_hold"
        elif any(one.holds is None for one in candidates):
            status, key = "na", "cmp_unknown"
        else:
            status, key = "fails", "cmp_none_holds"
        text = self.write_page_text(key, letters=self.word.separator.join(holding), **figures)
        if status == "holds" and any(one.premises.failing for one in candidates):
            status = "na"  # no tick above a premise that does not hold
        if (richest := self.view.richest) and len(holding) != 1:
            pattern = self.write_text(
                self.word.page["cmp_keeps_most"].replace("{headline}", "\0").replace("{letter}", "\1")
            )
            text = pattern.replace("\0", text).replace("\1", self.write_text(richest.letter))
        return status, text

    def write_lead(self) -> list[str]:
        """Return sentences on the suppressed people of each release, and on the front."""
        if self.view.public:
            return []
        sentences = [
            self.write_page_text(
                "cmp_suppresses",
                letter=one.letter,
                people=Exact(one.scope.suppressed_people),
                rows=Exact(one.scope.everybody),
                share=Exact(one.scope.suppressed_people / one.scope.everybody if one.scope.everybody else 0),
            )
            for one in self.view.candidates
        ]
        differing = [row.differs for row in self.view.rows] + [row.differs for row in self.view.columns]
        if not any(differing):
            return [*sentences, self.write_page_text("cmp_alike")]
        front = [one.letter for one in self.view.candidates if one.beaten_by is None]
        sentences.append(self.write_page_text("cmp_front", letters=self.word.separator.join(front)))
        beaten = [one for one in self.view.candidates if one.beaten_by]
        return sentences + [
            self.write_page_text("cmp_beaten", letter=one.letter, other=one.beaten_by) for one in beaten
        ]

    def write_counting(self) -> list[str]:
        """Return the sentence that people are counted, and what an adversary knows of them; none if rows are people."""
        return [self.write_page_text(f"counted_{self.view.known}")] if self.view.known else []

    def write_notes(self) -> list[str]:
        """Return the notes and warnings, each after the letters of the releases that it is about."""
        texts = []
        for letters, note in self.view.notes:
            write = warning_text if note.warning else note_text
            named = self.write_text(self.word.separator.join(letters) + self.word.colon) if letters else ""
            texts.append(named + write(note, self.language, self.medium))
        return texts

    def group_lines(self) -> Iterator[tuple[str, list[ComparisonLine]]]:
        """Yield the headings, each with its lines."""
        judged, others = self.view.required, self.view.others
        costs = [row for row in others if isinstance(row.measure, Utility)]
        if premises := list(self._write_premises()):
            yield self.say("premise_heading"), premises
        if judged:
            yield self.write_page_text("requirements_short"), [self._values(row) for row in judged]
        protection = [self._values(row) for row in others if row not in costs]
        if protection:
            yield self.write_page_text("cmp_protection"), protection
        lines = [] if self.view.public else [self._write_suppressed()]
        lines += [self._values(row) for row in costs]
        if not self.view.public:
            lines += [*self._losers(), self._front()]
        if lines:
            yield self.write_page_text("cmp_costs"), lines
        if any(one.changes for one in self.view.candidates):
            yield self.write_page_text("cmp_changes", letter=self.view.candidates[0].letter), list(self._changes())

    def _write_premises(self) -> Iterator[ComparisonLine]:
        """Yield a line for each premise, unless it holds in all releases without being accepted."""
        writer = PremiseWriter(self, public=self.view.public)
        by_release = [{line.name: line for line in writer.write_lines(one.premises)} for one in self.view.candidates]
        for name in PREMISES if all(by_release) else ():
            lines = [lines[name] for lines in by_release]
            if any(line.status != "holds" for line in lines):
                entries = tuple(ComparisonEntry(_join_premise(line), PREMISE_MARKS[line.status]) for line in lines)
                yield ComparisonLine(lines[0].title, "", entries, len({line.status for line in lines}) > 1)

    def _values(self, row: ComparisonRow) -> ComparisonLine:
        known = next((one for one in row.results if one is not None), None)
        label = self._label(row, known)
        remark = ""
        if cell := next((one for one in row.cells if one is not None), None):
            remark = self.write_limit(cell) if cell.limit else self.write_direction(cell)
        return ComparisonLine(
            label, remark, tuple(self._entry(row, number) for number in range(len(row.cells))), row.differs
        )

    def _label(self, row: ComparisonRow, known: Result | None) -> str:
        if known is None:
            return self.write_title(row.measure)
        return write_part_label(known, row.part, self.language, self.medium)

    def _entry(self, row: ComparisonRow, number: int) -> ComparisonEntry:
        cell = row.cells[number]
        if cell is None:
            return ComparisonEntry(self.write_text("–"), "na" if row.required else "")
        share = cell.value if isinstance(row.measure, Utility) else None
        return ComparisonEntry(
            self.write_value(cell), VERDICTS[cell.holds] if row.required else "", row.best[number], share
        )

    def _write_suppressed(self) -> ComparisonLine:
        people = [one.scope.suppressed_people for one in self.view.candidates]
        most, best = max(people), min(people)
        entries = [
            ComparisonEntry(
                self.medium.figure(f"{many:,}") + self.write_text(self.word.brackets.format(self._percent(one))),
                best=many == best < most,
                share=many / one.scope.everybody if one.scope.everybody else 0,
            )
            for one, many in zip(self.view.candidates, people, strict=True)
        ]
        return ComparisonLine(
            self.write_page_text("cmp_suppressed"),
            self.write_text(self.word.lower),
            tuple(entries),
            len(set(people)) > 1,
        )

    def _percent(self, one: ComparedRelease) -> str:
        return fill(
            "{share:%}",
            {"share": Exact(one.scope.suppressed_people / one.scope.everybody if one.scope.everybody else 0)},
            self.word,
        )

    def _losers(self) -> Iterator[ComparisonLine]:
        kinds = {"cmp_loses_rows": "cmp_rows_left", "cmp_loses_detail": "cmp_detail_left"}
        for key, template in kinds.items():
            found = [one.rows_loser if key == "cmp_loses_rows" else one.detail_loser for one in self.view.candidates]
            if any(isinstance(one, Loser) or one in self._worth_telling for one in found):
                entries = tuple(ComparisonEntry(self._loser(one, template)) for one in found)
                yield ComparisonLine(
                    self.write_page_text(key), self.write_page_text(f"{key}_sub"), entries, len(set(found)) > 1
                )

    @property
    def _worth_telling(self) -> tuple[NoLoser, ...]:
        """The reasons for naming no value that the line shows; withheld labels are mentioned elsewhere."""
        return (NoLoser.GONE, NoLoser.UNTOLD) if self.view.may.labels else (NoLoser.GONE,)

    def _loser(self, one: Loser | NoLoser, template: str) -> str:
        if not isinstance(one, Loser):
            return self.write_page_text(f"cmp_loser_{one}")
        value = Cell(cell_text(one.value))
        return self.write_page_text(template, column=Name(one.column), value=value, share=Exact(one.share))

    def _front(self) -> ComparisonLine:
        entries = [
            ComparisonEntry(
                self.write_page_text("cmp_no", letter=one.beaten_by)
                if one.beaten_by
                else self.write_page_text("cmp_yes")
            )
            for one in self.view.candidates
        ]
        differs = len({one.beaten_by is None for one in self.view.candidates}) > 1
        return ComparisonLine(
            self.write_page_text("cmp_on_front"), self.write_page_text("cmp_on_front_sub"), tuple(entries), differs
        )

    def _changes(self) -> Iterator[ComparisonLine]:
        first = self.view.candidates[0].letter
        keys = {"suppressed": "cmp_suppressed_here"}
        for kind in CHANGES:
            entries = []
            for one in self.view.candidates:
                many = None if one.changes is None else one.changes[kind]
                text = (
                    self.write_text("–")
                    if many is None
                    else fill("{many}", {"many": show_count(many)}, self.word, self.medium)
                )
                entries.append(ComparisonEntry(text))
            label = self.write_page_text(
                keys.get(kind, f"cmp_{kind}"), **({"letter": first} if kind == "published" else {})
            )
            differs = any(one.changes and one.changes[kind] for one in self.view.candidates)
            yield ComparisonLine(label, "", tuple(entries), differs)

    def write_levels(self, row: ColumnRow) -> ComparisonLine:
        """Write the levels of a column."""
        entries = []
        for levels, score, best in zip(row.levels, row.scores, row.best, strict=True):
            text = self.write_text("–") if levels is None else self._levels(levels)
            if score is not None and score.value is not None:
                text += self.write_text(self.word.comma) + self.write_page_text(
                    "cmp_column_score", value=Exact(score.value)
                )
            entries.append(ComparisonEntry(text, best=best))
        return ComparisonLine(self.medium.name(row.column), "", tuple(entries), row.differs)

    def _levels(self, column: Any) -> str:  # noqa: ANN401
        if (levels := column.levels) is None:
            return self.write_page_text("levels_differ")
        if not levels:
            return self.write_page_text("levels_none")
        if not column.in_hierarchy:
            return self.write_page_text("kept_some" if len(levels) > 1 else "kept_none" if levels[0] else "kept_all")
        if len(levels) == 1:
            return self.write_page_text("level_one", level=levels[0], height=column.height)
        return self.write_page_text("level_many", low=levels[0], high=levels[-1], height=column.height)

    def write_withheld(self) -> str:
        """Write what is withheld, and why; "" if nothing is."""
        may = self.view.may
        if not self.view.paired:
            return self.write_page_text("cmp_unpaired")
        if may.counts:
            return ""
        return self.write_page_text("cmp_bands" if may.labels else "cmp_no_labels", least=Exact(may.least))


def _join_premise(line: PremiseLine) -> str:
    """Return the findings, and the reason why they are accepted; a premise that is not open begins with its verdict."""
    told = "; ".join(filter(None, [*line.found, line.why])) if line.status != "holds" else ""
    verdict = line.verdict if line.status not in ("fails", "holds") else ""
    return "; ".join(filter(None, [verdict, told]))
