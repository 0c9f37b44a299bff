"""A cached property that keeps its error too, so that rows are not read again only to fail again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from PETWorks.errors import PETWorksError

if TYPE_CHECKING:
    kept = cached_property
else:

    class kept(cached_property):  # noqa: N801 (used as cached_property is)
        """Works its value out once; an error is raised again whenever it is asked for."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:  # noqa: ANN401
            """Give the value, or raise what came of it."""
            if instance is None:
                return self
            failures = vars(instance).setdefault("_failures", {})
            if self.attrname in failures:
                raise failures[self.attrname]
            try:
                return super().__get__(instance, owner)
            except PETWorksError as error:
                failures[self.attrname] = error
                raise
