"""Releases of one original, side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from PETWorks.answer.evaluation import Evaluation
from PETWorks.answer.requirement import Requirement
from PETWorks.answer.run import judge, why_not
from PETWorks.comparison.joint import Joint, joint_of, require_comparable
from PETWorks.errors import ParameterError, PETWorksError
from PETWorks.facts.class_frame import frame_library
from PETWorks.facts.facts import Facts
from PETWorks.facts.notes import plain_values
from PETWorks.measure.base import Measure
from PETWorks.measure.result import Result
from PETWorks.presentation import Language, presenter
from PETWorks.privacy.k_anonymity import KAnonymity
from PETWorks.privacy.t_closeness import TCloseness
from PETWorks.risk.re_identification import ReidentificationRisk
from PETWorks.sources.user_frames import Library, user_frame
from PETWorks.utility.granularity import Granularity
from PETWorks.utility.non_uniform_entropy import NonUniformEntropy
from PETWorks.utility.precision import Precision

if TYPE_CHECKING:
    from PETWorks.comparison.view import ComparisonView

ALWAYS: tuple[type[Measure], ...] = (
    KAnonymity,
    TCloseness,
    ReidentificationRisk,
    Granularity,
    Precision,
    NonUniformEntropy,
)  # what is compared, whether it is required or not


class Comparison:
    """Releases of one original, side by side: requirements, values, levels, and who gains and loses.

    Printed or written, it leaves out what describes fewer than five people of any release, or of several together.
    """

    def __init__(
        self, facts: Sequence[Facts], names: Sequence[str], requirements: Sequence[Requirement], title: str = ""
    ) -> None:
        require_comparable(facts, names)
        self.facts = tuple(facts)
        self.names = tuple(names)
        self.title = title
        self.evaluations = tuple(_evaluated(one, requirements, title) for one in facts)

    @property
    def letters(self) -> str:
        """The letters of the releases, in their order."""
        return ascii_uppercase[: len(self.facts)]

    @cached_property
    def joint(self) -> Joint | None:
        """The joint table of all labels; None if the rows of the releases do not pair by position."""
        return joint_of(self.facts)

    @property
    def front(self) -> list[str]:
        """The names of releases on the front: no other is as good in risk, granularity and suppressed rows together."""
        view = self.view(show_small_classes=True)
        return [one.name for one in view.candidates if one.beaten_by is None]

    def view(self, *, show_small_classes: bool = False, public: bool = False) -> ComparisonView:
        """Return what is shown, as plain figures."""
        from PETWorks.comparison.view import view_of

        return view_of(self, show_small_classes=show_small_classes, public=public)

    def to_frame(self, library: Library | None = None) -> Any:  # noqa: ANN401 (a frame of that library)
        """Return the values as a frame: a row for each release and value, with its limit, verdict, and if it is best.

        `library` is "pandas", "polars" or "pyarrow"; by default the one in which the first release was passed.
        """
        import pyarrow as pa

        rows = []
        for row in self.view(show_small_classes=True).rows:
            for name, cell, best in zip(self.names, row.cells, row.best, strict=True):
                known = {} if cell is None else {"value": cell.value, "holds": cell.holds, "side": cell.side or None}
                texts = {} if cell is None else {key: plain_values(getattr(cell, key)) for key in ("exact", "limit")}
                named = {"measure": row.measure.name, "part": row.part, "release": name}
                rows.append({**named, **known, **texts, "best": best})
        texts_of = dict.fromkeys(("release", "measure", "part", "exact", "side", "limit"), pa.string())
        kinds = texts_of | {"value": pa.float64(), "holds": pa.bool_(), "best": pa.bool_()}
        order = ("measure", "part", "release", "value", "exact", "side", "limit", "holds", "best")
        table = pa.Table.from_pylist(rows, pa.schema([(name, kinds[name]) for name in order]))
        return user_frame(table, library or frame_library(self.facts[0]))

    def text(self, language: Language = "en") -> str:
        """Write the comparison for people, in English (``en``) or 繁體中文 (``zh_TW``)."""
        return presenter().comparison(self.view(), "text", language)

    def to_markdown(self, language: Language = "en") -> str:
        """Write what anybody may read, as a table in Markdown: values with three digits, no value of a column."""
        return presenter().comparison(self.view(public=True), "markdown", language)

    def to_json(self, *, show_small_classes: bool = False) -> str:
        """Write everything that is shown as JSON."""
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


def _evaluated(facts: Facts, requirements: Sequence[Requirement], title: str) -> Evaluation:
    """Judge a release, and evaluate what is always compared, as far as that can be evaluated."""
    judged = judge(facts, requirements, title)
    required = {one.measure.name for one in requirements}
    others = list[Result]()
    for kind in ALWAYS:
        if kind.name in required or why_not(kind, facts):
            continue
        try:
            others.append(kind().evaluate(facts))
        except PETWorksError:  # it is left out
            continue
    if not (judged.results or others):
        hint = "pass original=, or a requirement that can be evaluated"
        raise ParameterError("nothing could be evaluated", where=facts.name, hint=hint)
    return Evaluation([*judged.results, *others], requirements=judged.requirements, title=title, facts=facts)
