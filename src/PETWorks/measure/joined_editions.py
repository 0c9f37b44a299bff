"""The base of measures of what somebody learns who joins a release with earlier ones of the same people.

Every set of two or more editions that is all the editions of somebody is judged, and the worst decides. Weights are
ignored: an adversary looks for one person, and knows that this person is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from PETWorks.facts.editions import JointClasses
from PETWorks.measure.plugin import (
    THRESHOLD,
    Facts,
    Figures,
    IntArray,
    Name,
    Need,
    NotAskableError,
    Note,
    Page,
    ReleasedRows,
    Result,
    Step,
    Unit,
    Words,
)
from PETWorks.tables.counting.tally import find_distinct


class JoinedEditions(Figures):
    """Measures of a release beside earlier ones of the same people."""

    family: ClassVar[str] = "risk"
    against: ClassVar[str] = "identity"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.EARLIER})
    rows: ClassVar[ReleasedRows] = ReleasedRows.PEOPLE
    unit: ClassVar[Unit] = Unit.PEOPLE
    scales: ClassVar[bool] = True
    for_editions: ClassVar[bool] = True

    def list_joins(self, facts: Facts) -> Iterator[tuple[JointClasses, tuple[Name, ...]]]:
        """Yield the people of every set of editions that somebody is in, with the names of the files."""
        editions = facts.editions
        for chosen in editions.sets:
            yield editions.join(chosen), tuple(Name(editions.names[place]) for place in chosen)

    def list_notes(self, facts: Facts) -> tuple[Note, ...]:
        """Return what a reader must know: the files that were joined, whose values changed, what was left out."""
        editions = facts.editions
        notes = [Note("joined_files", {"files": tuple(map(Name, editions.names))})]
        if not editions.sets:
            notes.append(Note("nobody_in_two", {}, warning=True))
        if any(one.pseudonym for one in editions.given):
            notes.append(Note("rows_joinable", warning=True))
        if changed := editions.changed:
            notes.append(Note("values_changed", {"people": changed}))
        if facts.weight is not None:
            notes.append(Note("weights_ignored"))
        return tuple(notes)

    def tells_of_few(self, result: Result) -> bool:
        """Return True if fewer than five people could be worked out."""
        return any(0 < number < THRESHOLD for number in result.figures.get("few", ()))

    def explain_figures(self, result: Result) -> Iterator[Step]:
        """Yield how many people are in several editions, and what is told of them."""
        if result.figures.get("people"):
            yield Step("people", result.figures)
            yield from self.explain_people(result)

    def explain_people(self, result: Result) -> Iterator[Step]:
        """Yield what is told of the people who are in several editions."""
        yield Step("told", {**result.figures, "score": result.exact})
        if "set" in self.words["en"].steps:
            yield Step("set", result.figures)


def list_sensitive(facts: Facts) -> tuple[str, ...]:
    """Return the sensitive attributes, which every edition must have; an error if one has another name there.

    Otherwise the values of that edition would be left out silently.
    """
    editions = facts.editions
    names = tuple(one.name for one in facts.spreads())
    for edition in editions.given:
        if lacking := [name for name in names if name not in edition.roles.sensitive]:
            problem = f'"{lacking[0]}" is no sensitive attribute of this earlier release'
            hint = "name its sensitive attributes as they are called in the new release, or judge other measures"
            raise NotAskableError(problem, where=edition.name, hint=hint)
    return names


def count_union(people: list[IntArray]) -> int:
    """Return how many people there are in several lists, each counted once."""
    return len(find_distinct(np.concatenate(people))) if people else 0


COMMON: Mapping[str, dict[str, dict[str, str]]] = {
    "en": {
        "steps": {
            "people": "{people:person is|people are} in two or more releases; {judged} of them are judged, since they"
            " are not suppressed in all.",
            "set": "The worst is found by joining {files}.",
        },
        "notes": {
            "joined_files": "Somebody is assumed to have all of these: {files}.",
            "nobody_in_two": "Nobody is in two of these releases, so there is nothing to join.",
            "rows_joinable": "A pseudonym is published, so that rows of one person can be joined: what is told here can"
            " be seen by everybody, and is no bound.",
            "values_changed": "The true values of {people:person|people} changed between releases. That an adversary"
            " may know old values only is not counted as protection.",
            "weights_ignored": "Sampling weights are ignored.",
        },
    },
    "zh_TW": {
        "steps": {
            "people": "有 {people} 人出現在兩次以上的發布中；其中 {judged} 人未在每次都遮蔽，納入判定。",
            "set": "最不利的情形，是合併 {files}。",
        },
        "notes": {
            "joined_files": "假設有人持有以下所有檔案：{files}。",
            "nobody_in_two": "沒有人出現在其中兩次發布，因此無可合併。",
            "rows_joinable": "假名已公布，同一人的資料列可以連結：這裡所說的，人人都看得到，並非上限。",
            "values_changed": "有 {people} 人的真實值在各次發布之間改變。攻擊者可能只知道舊值，這一點不算保護。",
            "weights_ignored": "抽樣權重略而不計。",
        },
    },
}


def build_words(
    language: str,
    title: str,
    sentence: str,
    measured: str,
    *,
    steps: Mapping[str, str],
    shared: Sequence[str] = ("people", "set"),
    parts: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    parameters: Mapping[str, str] | None = None,
    page: Page | None = None,
) -> Words:
    """Build the words of a measure from its own and those that several have; `shared` are its steps of these."""
    common: Any = COMMON[language]
    return Words(
        title,
        sentence,
        measured,
        {**{kind: common["steps"][kind] for kind in shared}, **steps},
        parts=parts or {},
        notes={**common["notes"], **(notes or {})},
        parameters=parameters or {},
        page=page,
    )
