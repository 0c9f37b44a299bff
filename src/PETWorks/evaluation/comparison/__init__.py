"""Compare releases of one original, side by side, by their joint table.

The joint table counts each combination of the labels of all releases. A reader of two releases side by side sees the
labels of each person in both, so the joint table must not single out few people.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np

from PETWorks.errors import (
    CellText,
    HierarchyError,
    PairingError,
    ParameterError,
    PETWorksError,
    Quantity,
    RoleError,
    SourceError,
)
from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.evaluation.frames import frame_library
from PETWorks.evaluation.requirement import Requirement
from PETWorks.evaluation.run import find_obstacle, judge_requirements
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import to_plain_values
from PETWorks.facts.tallies import find_tables
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.measure.base import Measure
from PETWorks.measure.privacy.k_anonymity import KAnonymity
from PETWorks.measure.privacy.t_closeness import TCloseness
from PETWorks.measure.result import Result
from PETWorks.measure.risk.re_identification import ReidentificationRisk
from PETWorks.measure.utility.granularity import Granularity
from PETWorks.measure.utility.non_uniform_entropy import NonUniformEntropy
from PETWorks.measure.utility.precision import Precision
from PETWorks.premises.check import PremiseCheck
from PETWorks.presentation import Language, presenter
from PETWorks.tables.counting.tally import Coded, IntArray, Mask, Tally
from PETWorks.tables.frames import Library, convert_frame
from PETWorks.tables.paired import SourcesSideBySide, name_column
from PETWorks.tables.source import TableSource

if TYPE_CHECKING:
    from PETWorks.disclosure.comparison import ComparisonView


SAME_ORIGINAL_HINT = "compare releases of one original, with the same roles and hierarchies"


@dataclass(frozen=True, eq=False)
class JointTable:
    """The labels of all releases, and the number of people by combination of them."""

    tally: Tally
    columns: tuple[str, ...]
    markers: tuple[str, ...]  # by release

    def take_labels(self, release: int, column: str) -> Coded:
        """Return the labels of a column in one of the releases."""
        return self.tally.columns[name_column(release, column)]

    def count_fewest(self, column: str) -> int:
        """Return the smallest number of people who have the same labels of a column in all releases."""
        keys = [name_column(release, column) for release in range(len(self.markers))]
        return int(self.tally.count_by(keys).min())

    @cached_property
    def sizes(self) -> list[IntArray]:
        """By release and combination, the number of people in the class; 0: the rows are suppressed."""
        return [self._count_sizes(release) for release in range(len(self.markers))]

    def _count_sizes(self, release: int) -> IntArray:
        ids, classes = self.group_classes(release)
        return np.where(self.find_suppressed(release), 0, classes.counts[ids])

    def group_classes(self, release: int) -> tuple[IntArray, Tally]:
        """Return, for each combination, the number of its class in a release, and the classes."""
        return self.tally.group([name_column(release, column) for column in self.columns])

    def number_others(self, release: int, column: str) -> IntArray:
        """Return, for each combination, a number for the labels of a column in all releases but one."""
        keys = [name_column(other, column) for other in range(len(self.markers)) if other != release]
        return self.tally.group(keys)[0]

    def find_suppressed(self, release: int) -> Mask:
        """Return a mask of the combinations whose rows are suppressed in a release."""
        marker = self.markers[release]
        hidden = [(column := self.take_labels(release, name)).codes == column.code(marker) for name in self.columns]
        suppressed: Mask = np.all(hidden, axis=0)
        return suppressed


def require_comparable(releases: Sequence[Facts], names: Sequence[str]) -> None:
    """Raise an error if releases have different roles, hierarchies or originals."""
    for (one, other), (left, right) in zip(pairwise(releases), pairwise(names), strict=True):
        both = f"{left} and {right}"
        for role in ("quasi_identifiers", "sensitive"):
            if differing := sorted({*getattr(one.roles, role)} ^ {*getattr(other.roles, role)}):
                problem = f"{', '.join(differing)}: {role.replace('_', ' ')} of only one of them"
                raise RoleError(f"{both} have different roles: {problem}", hint=SAME_ORIGINAL_HINT)
        left_people, right_people = (find_tables(facts).people for facts in (one, other))
        if left_people != right_people:
            problem = f"{both} do not count alike: {left_people.options_text}, and {right_people.options_text}"
            raise ParameterError(problem, hint="pass the same person=, known= and unknown_person= to all of them")
        for column in one.roles.quasi_identifiers:
            if _list_rows(one.hierarchies.get(column)) != _list_rows(other.hierarchies.get(column)):
                problem, figures = '{both} have different hierarchies of "{column}"', {"both": both, "column": column}
                raise HierarchyError(problem, hint=SAME_ORIGINAL_HINT, figures=figures)
        if one.has_original != other.has_original:
            raise SourceError(
                "only one of {both} has an original", hint="pass original= to both", figures={"both": both}
            )
        if one.has_original and not _same_table(one, other):
            _require_same_rows(one, other, both)


def _list_rows(tree: Hierarchy | None) -> object:
    if tree is None:
        return None
    return {leaf: tuple(tree.lift(leaf, level) for level in range(tree.height + 1)) for leaf in tree.leaves}


def _same_table(one: Facts, other: Facts) -> bool:
    """Return True if both originals are the same file, or the same table in memory."""
    left, right = (find_tables(facts) for facts in (one, other))
    assert left.original is not None  # noqa: S101
    assert right.original is not None  # noqa: S101
    files = left.original.files, right.original.files
    return left.original is right.original or (bool(files[0]) and list(files[0]) == list(files[1]))


def _require_same_rows(one: Facts, other: Facts, both: str) -> None:
    """Raise an error if two originals do not have the same rows in the same order."""
    tables = [find_tables(facts) for facts in (one, other)]
    sources = [table.original for table in tables if table.original is not None]
    columns = one.roles.quasi_identifiers
    try:
        found = SourcesSideBySide(*sources).tally(columns, tables[0].workspace)
    except PairingError as error:
        figures = {"both": both, "reason": CellText(error.problem)}
        problem = "{both} have different originals: {reason}"
        raise SourceError(problem, hint=SAME_ORIGINAL_HINT, figures=figures) from error
    for column in columns:
        left, right = (found.columns[name_column(number, column)] for number in (0, 1))
        code_of = {value: code for code, value in enumerate(left.values)}
        differs = np.array([code_of.get(value, -1) for value in right.values])[right.codes] != left.codes
        if rows := int(found.counts[differs].sum()):
            problem = '{both} have different originals: "{column}" differs in {rows} of {all_rows}'
            hint = f"{SAME_ORIGINAL_HINT}, whose rows are in the same order"
            figures = {"rows": Quantity(rows), "all_rows": Quantity(found.rows, "rows", "rows")}
            raise SourceError(problem, hint=hint, figures={"both": both, "column": column, **figures})


def count_joint_table(releases: Sequence[Facts]) -> JointTable | None:
    """Count the joint table; None if rows do not pair by position, or if it does not fit in memory."""
    tables = [find_tables(facts) for facts in releases]
    sources: list[TableSource] = [table.release for table in tables]
    moved = any(table.key is not None or table.removed or table.shuffled for table in tables)
    if moved or any(source.counts_in_cluster for source in sources) or not all(one.fits_in_memory for one in releases):
        return None
    if not all(one.has_original for one in releases):
        return None  # nothing shows that the rows pair
    columns = releases[0].roles.quasi_identifiers
    for facts in releases:
        _ = facts.columns.pairing  # raises an error if rows do not seem to pair with their originals
    try:
        tally = SourcesSideBySide(*sources).tally(columns, tables[0].workspace)
    except SourceError:
        raise
    except PETWorksError:
        return None
    return JointTable(tally, tuple(columns), tuple(facts.marker for facts in releases))


def count_changed_people(joint: JointTable, base: int, release: int) -> dict[str, int]:
    """Count the people whose class is larger or smaller in a release than in the base, or suppressed in only one."""
    before, after = joint.sizes[base], joint.sizes[release]
    both = (before > 0) & (after > 0)
    masks = {
        "grew": both & (after > before),
        "shrank": both & (after < before),
        "suppressed": (before > 0) & (after == 0),
        "published": (before == 0) & (after > 0),
    }
    return {kind: int(joint.tally.counts[mask].sum()) for kind, mask in masks.items()}


COMPARED_MEASURES: tuple[type[Measure], ...] = (
    KAnonymity,
    TCloseness,
    ReidentificationRisk,
    Granularity,
    Precision,
    NonUniformEntropy,
)  # compared even if they are not required


class Comparison:
    """Releases of one original, side by side: requirements, values, levels, and the people who gain and lose.

    Output leaves out figures that describe fewer than five people of any release, or of several together.
    """

    def __init__(
        self,
        facts: Sequence[Facts],
        names: Sequence[str],
        requirements: Sequence[Requirement],
        title: str = "",
        premises: Sequence[PremiseCheck] = (),
    ) -> None:
        require_comparable(facts, names)
        self.facts = tuple(facts)
        self.names = tuple(names)
        self.title = title
        self.evaluations = tuple(_evaluate(one, requirements, title) for one in facts)
        for evaluation, check in zip(self.evaluations, premises, strict=False):
            evaluation.premise_source, evaluation.judges_premises = check, bool(requirements)

    @property
    def letters(self) -> str:
        """The letters of the releases, in their order."""
        return ascii_uppercase[: len(self.facts)]

    @cached_property
    def joint(self) -> JointTable | None:
        """The joint table of all labels; None if the rows of the releases do not pair by position."""
        return count_joint_table(self.facts)

    @property
    def front(self) -> list[str]:
        """The names of releases on the front: no other is as good in risk, granularity and suppressed rows together."""
        view = self.view(show_small_classes=True)
        return [one.name for one in view.candidates if one.beaten_by is None]

    def view(self, *, show_small_classes: bool = False, public: bool = False) -> ComparisonView:
        """Return the view for output, as plain figures."""
        audience = "public" if public else "analyst" if show_small_classes else "internal"
        shown: ComparisonView = presenter().disclose_comparison(self, audience)
        return shown

    def to_frame(self, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
        """Return the values as a frame: a row for each release and value, with limit, verdict, and whether it is best.

        `library` is "pandas", "polars" or "pyarrow"; by default the one in which the first release was passed.
        """
        import pyarrow as pa

        rows = []
        for row in self.view(show_small_classes=True).rows:
            for name, cell, best in zip(self.names, row.cells, row.best, strict=True):
                known = {} if cell is None else {"value": cell.value, "holds": cell.holds, "side": cell.side or None}
                texts = {} if cell is None else {key: to_plain_values(getattr(cell, key)) for key in ("exact", "limit")}
                named = {"measure": row.measure.name, "part": row.part, "release": name}
                rows.append({**named, **known, **texts, "best": best})
        texts_of = dict.fromkeys(("release", "measure", "part", "exact", "side", "limit"), pa.string())
        kinds = texts_of | {"value": pa.float64(), "holds": pa.bool_(), "best": pa.bool_()}
        order = ("measure", "part", "release", "value", "exact", "side", "limit", "holds", "best")
        table = pa.Table.from_pylist(rows, pa.schema([(name, kinds[name]) for name in order]))
        return convert_frame(table, library or frame_library(self.facts[0]))

    def text(self, language: Language = "en") -> str:
        """Write the comparison for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        return presenter().comparison(self.view(), "text", language)

    def to_markdown(self, language: Language = "en") -> str:
        """Write the public comparison as a table in Markdown: values with three digits, no value of a column."""
        return presenter().comparison(self.view(public=True), "markdown", language)

    def to_json(self, *, show_small_classes: bool = False) -> str:
        """Write the view as JSON."""
        return presenter().comparison(self.view(show_small_classes=show_small_classes), "json", "en")

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        language: Language = "en",
        show_small_classes: bool = False,
        command: str = "",
    ) -> str | Path:
        """Write one self-contained HTML page to a file and return its path; without a path, return the page."""
        view = self.view(show_small_classes=show_small_classes)
        page = presenter().comparison(view, "html", language, command)
        return page if path is None else presenter().write_file(path, page)

    def __str__(self) -> str:
        """Write the comparison for people, in English."""
        return self.text()

    __repr__ = __str__


def _evaluate(facts: Facts, requirements: Sequence[Requirement], title: str) -> Evaluation:
    """Judge a release, and evaluate the measures that are always compared, as far as possible."""
    judged = judge_requirements(facts, requirements, title)
    required = {one.measure.name for one in requirements}
    others = list[Result]()
    for kind in COMPARED_MEASURES:
        if kind.name in required or find_obstacle(kind, facts):
            continue
        try:
            others.append(kind().evaluate(facts))
        except PETWorksError:  # it is left out
            continue
    if not (judged.results or others):
        hint = "pass original=, or a requirement that can be evaluated"
        raise ParameterError("nothing could be evaluated", where=facts.name, hint=hint)
    return Evaluation([*judged.results, *others], requirements=judged.requirements, title=title, facts=facts)
