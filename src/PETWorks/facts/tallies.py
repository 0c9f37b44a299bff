"""The tallies of a release and its original, and the classes they make: the only place that asks sources for rows.

Everything is worked out when first asked for and then kept. Rows are read at most once for each table; where both are
wanted side by side, one tally of the pairs holds both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from PETWorks.counting.memory import Workspace
from PETWorks.counting.size_histogram import Grouping, Outline, missing_cells
from PETWorks.counting.tally import Before, Key, Mask, Tally
from PETWorks.errors import NotAskableError, TooLargeError
from PETWorks.facts.classes import Classes
from PETWorks.facts.kept import kept
from PETWorks.facts.roles import Roles
from PETWorks.measure.result import Scope
from PETWorks.sources import Paired, Source


@dataclass(frozen=True, eq=False)
class Counted:
    """A release, with an original or without, whose rows are counted when that is first needed."""

    release: Source
    roles: Roles
    original: Source | None = None
    population: Source | None = None
    key: str | None = None
    marker: str = "*"
    workspace: Workspace = field(default_factory=Workspace)
    elder: Counted | None = field(default=None, repr=False)  # the same tables in other roles, perhaps counted already
    _groupings: dict[tuple[str, ...], Classes] = field(default_factory=dict, repr=False)

    # The tallies: the only places where rows are read.

    @kept
    def paired(self) -> Tally:
        """The quasi-identifiers of the original, as `Before(name)`, beside all columns of the release."""
        names = self.roles.quasi_identifiers
        after = [*names, *self.roles.sensitive]
        if held := self._held([*map(Before, names), *after]):
            return held
        return Paired(self.original_source, self.release, self.key).tally(names, after, self.workspace)

    @kept
    def released(self) -> Tally:
        """The quasi-identifiers and sensitive attributes of the release."""
        names = [*self.roles.quasi_identifiers, *self.roles.sensitive]
        if held := self._held(names):
            return held
        return self.release.tally(names, self.workspace, Grouping(self.roles.quasi_identifiers, self.marker))

    @kept
    def before(self) -> Tally:
        """The quasi-identifiers of the original."""
        names = self.roles.quasi_identifiers
        if held := self._held([Before(name) for name in names]):
            return held
        tally = self.original_source.tally(names, self.workspace, Grouping(names, self.marker))
        return Tally({Before(str(name)): column for name, column in tally.columns.items()}, tally.counts)

    def _held(self, keys: Sequence[Key]) -> Tally | None:
        """Give the tally of some columns if a larger one was counted already."""
        for counted in (self, self.elder):
            for tally in (vars(counted).get("paired"), vars(counted).get("released")) if counted else ():
                if tally and all(key in tally.columns for key in keys):
                    return tally.of(keys)  # type: ignore[no-any-return]
        return None

    @kept
    def original_source(self) -> Source:
        """The original, which must be there and have the columns."""
        if self.original is None:
            raise NotAskableError("this measure compares the release with its original", hint="pass original=")
        self.original.require(self.roles.quasi_identifiers, "a quasi-identifier of the release")
        return self.original

    # What the tallies say; where one does not fit in memory, its outline still knows the sizes of classes.

    @cached_property
    def _outline(self) -> Outline | None:
        """What is known of the release if its tally does not fit."""
        return _outlined(lambda: self.released)

    @cached_property
    def _outline_before(self) -> Outline | None:
        return _outlined(lambda: self.before)

    @property
    def fits(self) -> bool:
        """Whether all combinations of the release are known, not only how large its classes are."""
        return self._outline is None

    @cached_property
    def classes(self) -> Classes:
        """The classes of the release."""
        if self._outline:
            return Classes.by_size(self._outline.histogram)
        return self.grouped(self.roles.quasi_identifiers)

    @property
    def known(self) -> Tally:
        """The quasi-identifiers of the classes, with their sizes."""
        _ = self.released  # which must be known
        return Tally(self.classes.columns, self.classes.sizes)

    @cached_property
    def published(self) -> Tally:
        """The rows of the release that are not suppressed."""
        return self.released.where(~self.suppressed(self.released))

    def grouped(self, names: Sequence[str]) -> Classes:
        """Group the unsuppressed rows by some columns."""
        if (key := tuple(names)) not in self._groupings:
            ids, classes = self.published.grouped(names)
            self._groupings[key] = Classes(classes.columns, classes.counts, ids)
        return self._groupings[key]

    @cached_property
    def classes_before(self) -> Classes:
        """The classes of the original; rows that were suppressed there form none."""
        if self._outline_before:
            return Classes.by_size(self._outline_before.histogram)
        grouping = Grouping(tuple(self.before.columns), self.marker)
        published = self.before.where(~grouping.suppressed(self.before))
        return Classes(published.columns, published.counts)

    @property
    def rows_before(self) -> int:
        """How many rows the original has."""
        return self._outline_before.rows if self._outline_before else self.before.rows

    def suppressed(self, tally: Tally) -> Mask:
        """Tell for each combination whether all its quasi-identifiers are suppressed."""
        return Grouping(self.roles.quasi_identifiers, self.marker).suppressed(tally)

    @cached_property
    def scope(self) -> Scope:
        """The size of the release, and its special cells."""
        if not (outline := self._outline):
            counts = self.released.counts
            suppressed = int(counts[self.suppressed(self.released)].sum())
            outline = Outline(self.released.rows, len(counts), suppressed, missing=missing_cells(self.released))
        missing = {str(name): cells for name, cells in outline.missing.items()}
        return Scope(self.release.name, outline.rows, outline.suppressed, len(self.classes), missing)


def _outlined(tally: Callable[[], Tally]) -> Outline | None:
    """Give the outline of a table whose tally does not fit, and nothing for one that does."""
    try:
        tally()
    except TooLargeError as error:
        return error.outline
    return None
