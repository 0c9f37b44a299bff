"""The state of step 5: the counted table, the plan of the draft, the search process, and the shown levels.

`record_result` writes the results of the search process to the draft: the best levels and the pinned candidates.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod
from threading import Lock
from typing import Any

from PETWorks.anonymization import people
from PETWorks.anonymization.exploration import (
    Exploration,
    NodeFigures,
    ReleasePreview,
    SearchState,
    exclude_tops,
    find_best,
    find_fewest_suppressed,
    select_inside,
)
from PETWorks.anonymization.plan import PARAMETERS, SearchSettings, read_search
from PETWorks.anonymization.table import RawTable
from PETWorks.anonymization.vectors import Levels
from PETWorks.app.project.draft import Change, Draft
from PETWorks.app.project.folder import POLICY
from PETWorks.app.project.project import JournalEntry
from PETWorks.app.screens.requirements.view import get_original, original_key
from PETWorks.app.search.helper import SearchHelper, SearchRequest
from PETWorks.app.session import Session, Work
from PETWorks.evaluation.requirement import Requirement
from PETWorks.policy.data import read_columns
from PETWorks.policy.requirements import read_requirements
from PETWorks.policy.toml import Problems, TomlSection, join_problems
from PETWorks.settings.treatments import Treatment

LETTERS = "ABCD"


def record_result(session: Session, names: Sequence[str], helper: SearchHelper) -> None:
    """Write the result of the search process to the project, even if the draft changed meanwhile."""
    with session.project.lock:
        session.project.refresh()
        draft, change = session.draft, None
        if helper.finished == "best" and helper.best and helper.best.best:
            draft, change = _with_best(draft, helper, helper.best.best, names)
        elif helper.finished == "local" and helper.local:
            draft = draft.with_making("recoding", "local").with_making("levels", None)
            draft = draft.with_making("polish_rounds", helper.local.rounds)
            draft, change = add_pin(draft, {"recoding": "local"}), Change("explore_local")
        elif (
            helper.finished == "best" and helper.best and not any(map(_is_none_entry, session.project.journal.entries))
        ):
            session.project.note(Change("explore_none"))  # records that the cost of the limits was seen
        if change:
            session.apply({"revision": session.revision}, change, draft)  # type: ignore[arg-type]


def _is_none_entry(entry: JournalEntry) -> bool:
    return entry.change.kind == "explore_none"


def _with_best(draft: Draft, helper: SearchHelper, best: NodeFigures, names: Sequence[str]) -> tuple[Draft, Change]:
    """Return the draft with the best levels, unless others were chosen meanwhile, and with pinned candidates.

    Levels that were fixed for some columns become bounds.
    """
    if draft.making.get("levels") == helper.levels_before:
        draft = draft.with_making("levels", name_levels(names, best.levels)).with_making("recoding", None)
        fixed = helper.search_plan.levels if helper.search_plan else {}
        for kind in ("coarsest", "finest") if fixed else ():
            draft = draft.with_making(kind, {**draft.making.get(kind, {}), **fixed})
    draft = add_pin(draft, {"levels": name_levels(names, best.levels)})
    if helper.keeping and helper.keeping.best:
        draft = add_pin(draft, {"levels": name_levels(names, helper.keeping.best.levels)})
    return draft, Change("explore_best", suppressed=best.suppressed, score=f"{best.score:.4f}")


def name_levels(names: Sequence[str], levels: Levels) -> dict[str, int]:
    """Return levels by column, as in the policy."""
    return dict(zip(names, levels, strict=True))


def match_levels(exploration: Exploration, levels: Mapping[str, int]) -> Levels | None:
    """Return the levels of a pin as a vector; None if the columns or their hierarchies changed."""
    if set(levels) != set(exploration.names):
        return None
    vector = tuple(levels[name] for name in exploration.names)
    fits = all(0 <= level <= top for level, top in zip(vector, exploration.heights, strict=True))
    return vector if fits else None


def add_pin(draft: Draft, pin: Mapping[str, Any]) -> Draft:
    """Return the draft with a candidate under the first free letter; unchanged if it is pinned or none is free."""
    if find_letter(draft, pin):
        return draft
    used = {one.get("name") for one in draft.pins}
    letter = next((one for one in LETTERS if one not in used), None)
    return draft.with_pin({"name": letter, **pin}) if letter else draft


def find_letter(draft: Draft, pin: Mapping[str, Any]) -> str:
    """Return the letter of a pinned candidate; "" if it is not pinned."""
    same = [one for one in draft.pins if _read_choice(one) == _read_choice(pin)]
    return str(same[0].get("name", "")) if same else ""


def _read_choice(pin: Mapping[str, Any]) -> tuple[Any, Any]:
    return pin.get("recoding", "global"), dict(pin.get("levels", {})) or None


COLUMN_SETTINGS = ("coarsest", "finest", "levels", "weights")
PENDING_SEARCH = "explore helper"


class PendingSearch:
    """The search process and its exploration, which the session caches."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.key: Hashable = None
        self.exploration: Exploration | None = None
        self.helper: SearchHelper | None = None

    def close(self) -> None:
        """End the process."""
        if self.helper:
            self.helper.close()
        self.key = self.exploration = self.helper = None


@dataclass(frozen=True)
class ExploreState:
    """The state of the screen, for the present draft."""

    session: Session
    exploration: Exploration
    requirements: Sequence[Requirement]
    plan: SearchSettings
    helper: SearchHelper

    @classmethod
    def of(cls, session: Session, table: RawTable, requirements: Sequence[Requirement]) -> ExploreState:
        """Return the state for the present draft; start or replace the search process if needed."""
        asked = make_plan(session.draft, table, requirements)
        key = ("exploration", original_key(session), repr(replace(asked, **IGNORED_SETTINGS)))
        held = session.cache(PENDING_SEARCH, PendingSearch)
        with held.lock:
            exploration, helper = held.exploration, held.helper
            if held.key != key or exploration is None:
                held.close()
                exploration = Exploration(table, asked)
                exploration.evaluate(
                    (0, *exploration.heights[1:])
                )  # raises an error if a requirement cannot be measured
                held.key, held.exploration, helper = key, exploration, None
            if helper is None or not helper.alive:
                start = SearchRequest(session.draft.content, session.folder, session.memory, asked)
                helper = held.helper = SearchHelper(
                    start, exploration, partial(record_result, session, exploration.names)
                )
        return cls(session, exploration, requirements, asked, helper)

    @property
    def counts_rows(self) -> bool:
        """True if people have several rows and suppression counts rows."""
        return self.plan.suppress == "rows" and self.exploration.table.facts.persons is not None

    @property
    def allowed(self) -> int:
        """The number of rows, or people, that may be suppressed."""
        return self.plan.allowed(self.rows)

    @property
    def rows(self) -> int:
        """The number of rows; of people if the plan suppresses people."""
        return people.count_units(self.exploration.table, self.plan)

    @property
    def ranges(self) -> list[range]:
        """The levels that a search may choose for each column."""
        return self.wanted.ranges(self.exploration.table.ladders)

    @property
    def wanted(self) -> SearchSettings:
        """The plan of a search: levels are fixed only if the draft has them for some columns, not for all."""
        return self.plan if self.chosen is None and not self.local else replace(self.plan, levels={})

    @property
    def combinations(self) -> int:
        """The number of level vectors that a search may choose from."""
        return prod(map(len, self.ranges))

    @property
    def chosen(self) -> Levels | None:
        """The levels of the draft, if it has one for each column and recodes globally."""
        given = self.plan.levels
        if self.plan.recoding != "global" or any(name not in given for name in self.exploration.names):
            return None
        return tuple(given[name] for name in self.exploration.names)

    @property
    def sought(self) -> SearchState | None:
        """The search with the present limit and bounds; None if it was not started."""
        asked = self.helper.search_plan
        return self.helper.best if asked and search_key(asked) == search_key(self.wanted) else None

    @property
    def found(self) -> NodeFigures | None:
        """The result of the search with the present limit and bounds; None if there is none."""
        return self.sought.best if self.sought else None

    @cached_property
    def best_known(self) -> NodeFigures | None:
        """The best level vector within the limit and bounds: that of the search, else the best one evaluated."""
        return self.found or self._best_within(self.wanted)

    @cached_property
    def best_keeping(self) -> NodeFigures | None:
        """The best level vector that generalises no column completely; None if not known."""
        keeping = self.helper.keeping
        if keeping and keeping.best and self.sought:
            return keeping.best
        return self._best_within(exclude_tops(self.wanted, self.exploration.table.ladders))

    def _best_within(self, asked: SearchSettings) -> NodeFigures | None:
        if self.exploration.evaluated_count < self.exploration.vectors:
            return None
        return find_best(
            select_inside(self.exploration.list_evaluated(), asked.ranges(self.exploration.table.ladders)), self.allowed
        )

    @property
    def local(self) -> bool:
        """True if the draft recodes locally: rows of a column may have different levels."""
        return self.plan.recoding == "local"

    @property
    def levels(self) -> Levels | None:
        """The shown levels: those of the draft, else the best found, else, if none holds, the nearest."""
        if self.chosen or self.local:
            return self.chosen
        found = self.found or self._nearest
        return found.levels if found else None

    @cached_property
    def _nearest(self) -> NodeFigures | None:
        """The combination that suppresses the fewest rows, if the search proved that none holds."""
        if (sought := self.sought) is None or not (sought.ended and sought.proven):
            return None
        found = find_fewest_suppressed(select_inside(self.exploration.list_evaluated(), self.ranges))
        return found if found or not sought.infeasibility else self.exploration.evaluate(sought.infeasibility.levels)

    def begin_search(self) -> None:
        """Start the search that the draft needs, if it was not done yet."""
        if self.local:
            if self.helper.local is None and not self.helper.task and not self.helper.problem:
                self.helper.ask("local", self.plan)  # with the recorded rounds of polishing
        elif self.chosen is None and self.sought is None and not self.helper.task:
            self.seek()

    def seek(self) -> None:
        """Start the search for the best vector with one level for each column."""
        self.helper.ask("best", replace(self.wanted, recoding="global"), self.session.draft.making.get("levels"))


def preview_recoding(state: ExploreState) -> ReleasePreview | None:
    """Return the preview of the local recoding; None if there is none."""
    local = state.helper.local
    if local is None:
        return None
    if state.helper.local_preview is None or state.helper.local_preview[0] is not local:
        state.helper.local_preview = local, local.preview(state.exploration)
    return state.helper.local_preview[1]


IGNORED_SETTINGS: Mapping[str, Any] = {
    "suppress_at_most": None,
    "coarsest": {},
    "finest": {},
    "levels": {},
    "recoding": "global",
    "polish_rounds": None,
    "time_limit": None,
    "seed": None,
    "order": "original",
    "output_encoding": None,
    "drop_identifiers": False,
}  # settings that do not change the evaluation of a vector


def search_key(asked: SearchSettings) -> Hashable:
    """Return the cache key of a search, besides the goals: the limit and the bounds."""
    bounds = (asked.coarsest, asked.finest, asked.levels)
    return asked.suppress_at_most.exact, *(tuple(sorted(one.items())) for one in bounds)


def count_table(session: Session) -> Work[RawTable]:
    """Count the table in the background; raise an error that lists open roles and hierarchies."""
    release, suppress = get_original(session), session.draft.making.get("suppress", "rows")

    def count(_: Work[RawTable]) -> RawTable:
        table = people.build_table(release.facts, SearchSettings(suppress=suppress))
        return table.vectors.generalise(
            tuple(one.height for one in table.ladders)
        ).table  # counts what all vectors need

    return session.run_in_background(("counted", original_key(session), suppress), count)


def list_requirements(draft: Draft) -> list[Requirement]:
    """Return the requirements of the draft; raise a `PolicyError` that lists all their problems."""
    problems = Problems()
    file = TomlSection({**draft.content}, "policy.toml", problems)
    sensitive = [name.strip() for name in draft.section("roles").get("sensitive", ())]
    found = list(read_requirements(file, sensitive, problems))
    if problems:
        raise join_problems(problems, "policy.toml")
    return found


def read_draft_treatments(draft: Draft) -> dict[str, Treatment]:
    """Return the treatments of the draft, by column; raise a `PolicyError` that lists all their problems."""
    problems = Problems()
    _, treat = read_columns(TomlSection({**draft.content}, POLICY, problems), {*draft.roles}, problems)
    if problems:
        raise join_problems(problems, POLICY)
    return treat


def make_plan(draft: Draft, table: RawTable, requirements: Sequence[Requirement]) -> SearchSettings:
    """Return the plan of the draft, without levels and bounds that no longer fit the columns."""
    heights = {ladder.name: ladder.height for ladder in table.ladders}
    given = {name: value for name, value in draft.making.items() if name in PARAMETERS}
    if treat := read_draft_treatments(draft):
        given["treat"] = treat
    for name in COLUMN_SETTINGS:
        known = {column: one for column, one in given.get(name, {}).items() if column in heights}
        given[name] = known if name == "weights" else {c: min(one, heights[c]) for c, one in known.items()}
    for column, least in dict(given["finest"]).items():
        if least > given["coarsest"].get(column, heights[column]):
            del given["finest"][column]
    levels = given.pop("levels")
    found = read_search([one.measure for one in requirements], **given)
    if set(levels) != set(heights):  # fixed for some columns: within the bounds
        allowed = dict(zip(heights, found.levels_allowed(heights), strict=True))
        levels = {column: one for column, one in levels.items() if one in allowed[column]}
    return replace(found, levels=levels)
