"""The view of step 3: one quasi-identifier and one builder. Values of fewer than five people are not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.app.responses import advise, describe_error
from PETWorks.app.screens.hierarchies.changes import (
    BUILDERS,
    VALUES_PER_PAGE,
    BuilderField,
    GroupBox,
    GroupTree,
    ValueLine,
    format_setting,
    suggest_settings,
)
from PETWorks.app.screens.hierarchies.column_hierarchies import (
    FILE,
    HAND,
    NONE,
    TILES,
    ColumnHierarchy,
    HierarchyOutcome,
)
from PETWorks.errors import PETWorksError
from PETWorks.hierarchies.files import build_rule
from PETWorks.hierarchies.hierarchy import Hierarchy
from PETWorks.hierarchies.value_rules import Parents
from PETWorks.hierarchies.values import count_people
from PETWorks.render.inspection import suggestion_text

MAX_CHOICES = 12  # files that have a button


class FieldProblem(NamedTuple):
    """A problem with a field."""

    field: str
    error: PETWorksError | None = None
    key: str = ""  # of the words for what is missing


@dataclass(frozen=True)
class HierarchiesView(HierarchyOutcome):
    """The view of one quasi-identifier and one builder for its hierarchy."""

    asked: str = ""  # the requested builder
    typed: Mapping[str, Any] | None = None  # the content of the fields, if it is not in use
    wrong: FieldProblem | None = None
    part: int = 1
    files: Sequence[str] = ()  # which may hold a hierarchy

    @property
    def builder(self) -> str:
        """The builder that is shown: the requested one, else the present one, else the suggested one."""
        if self.asked in TILES:
            return self.asked
        if self.present.kind in TILES and self.present.kind != NONE:
            return self.present.kind
        rule = self.present.suggestion.rule
        none = self.present.suggestion.kind == "few" and not self.present.needed_by
        return rule.kind if rule else NONE if none else HAND

    @property
    def suggestion(self) -> str:
        """The findings on the column, and the suggestion."""
        return suggestion_text(self.present.suggestion, self.language).replace("\n  ", " ")

    @property
    def fields(self) -> Sequence[BuilderField]:
        """The fields of the builder."""
        return BUILDERS.get(self.builder, ())

    @cached_property
    def hidden(self) -> Sequence[str]:
        """The values of few people in the present order: they stay in it, and are not shown."""
        listed = self.present.settings.get("ordered", ()) if self.builder == "ordered" else ()
        return [str(one) for one in listed if 0 < self.present.counts.get(str(one), 0) < self.least]

    @cached_property
    def _settings(self) -> Mapping[str, Any]:
        if self.typed is not None:
            return self.typed
        if self.present.kind == self.builder:
            return self.present.settings
        rule = self.present.suggestion.rule
        return suggest_settings(self.builder, self.present.counts, rule.settings() if rule else None)

    @cached_property
    def _made(self) -> Hierarchy | PETWorksError | None:
        """The hierarchy that the fields would build, or the error; None if they are in use."""
        if self.wrong or self.in_use or self.builder in (HAND, FILE):
            return None
        try:
            return self.all.build(self.present.name, self.builder, self._settings)
        except PETWorksError as error:
            return error

    @cached_property
    def viewed(self) -> ColumnHierarchy:
        """The hierarchy that is shown: a preview of the fields if they are not in use, else the present one."""
        if not isinstance(self._made, Hierarchy):
            return self.present
        key = (self.present.key, self.builder, repr(self._settings))
        preview = replace(self.present, kind=self.builder, settings=self._settings, key=key, problem=None)
        return replace(preview, hierarchy=self._made)

    @property
    def cannot(self) -> str:
        """The reason why the initial fields build no hierarchy of this column; "" if they do."""
        return self.render_message(self._made) if isinstance(self._made, PETWorksError) else ""

    @property
    def preview(self) -> bool:
        """True if the hierarchy that is shown is not in use."""
        return self.viewed is not self.present

    def format_field(self, one: BuilderField) -> Any:  # noqa: ANN401
        """Return the content of a field."""
        return format_setting(one, self._settings, self.hidden)

    @property
    def in_use(self) -> bool:
        """True if the present hierarchy is made by this builder."""
        return self.present.kind == self.builder

    @property
    def takes_suggestion(self) -> bool:
        """True if the fields hold the suggestion."""
        rule = self.present.suggestion.rule
        return self.typed is None and rule is not None and rule.kind == self.builder

    @property
    def fitting(self) -> Sequence[str]:
        """The files that have a button, without the one in use."""
        return [one for one in self.files if one != self.file][:MAX_CHOICES]

    @property
    def file(self) -> str:
        """The file of the hierarchy."""
        return str(self._settings.get(FILE, ""))

    def find_wrong(self, name: str) -> FieldProblem | None:
        """Return the problem with a field; None if there is none."""
        return self.wrong if self.wrong and self.wrong.field == name else None

    def render_message(self, error: PETWorksError, folder: Path | None = None) -> str:
        """Return the message of an error, without values of few people."""
        text, hint = describe_error(error, folder), advise(error)
        text = f"{text} ({hint})" if hint else text
        for number, value in enumerate(self.hidden, 1):
            text = text.replace(value, f"‹{number}›")
        return text

    @cached_property
    def tree(self) -> GroupTree:
        """The groups made by hand."""
        built = self.present.kind == HAND and self.present.hierarchy
        rule = build_rule(self.present.name, self.present.settings) if built else None
        mapping = rule.mapping if isinstance(rule, Parents) else {}
        return GroupTree(mapping, self.present.counts, self.least)

    @property
    def copies(self) -> bool:
        """True if the present groups can be edited by hand."""
        present = self.present
        return present.kind != HAND and present.hierarchy is not None and present.hierarchy.height > 1

    @cached_property
    def _lines(self) -> Sequence[ValueLine]:
        return self.tree.list_lines()

    @property
    def parts(self) -> int:
        """The number of pages of the table of values."""
        return max((len(self._lines) + VALUES_PER_PAGE - 1) // VALUES_PER_PAGE, 1)

    @property
    def lines(self) -> list[tuple[ValueLine, list[GroupBox | None]]]:
        """The values of this page, each with the groups that begin there."""
        first = (min(self.part, self.parts) - 1) * VALUES_PER_PAGE
        rows = self._lines[first : first + VALUES_PER_PAGE]
        return [*zip(rows, self.tree.list_boxes(rows), strict=True)]

    @property
    def most(self) -> int:
        """The number of people of the most frequent value."""
        return max((one.people for one in self._lines), default=1)

    @property
    def few(self) -> tuple[int, int]:
        """The numbers of values that are not shown and of people who have one of them."""
        counts = self.present.counts
        few = [value for value, people in counts.items() if value is not None and people < self.least]
        return len(few), count_people(counts, few)
