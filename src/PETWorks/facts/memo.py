"""A cache of results and errors, so that rows are not read again only to raise the same error again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from PETWorks.errors import PETWorksError

T = TypeVar("T")


class Memo:
    """Results and errors by key.

    >>> memo = Memo()
    >>> memo.cache("answer", lambda: 42), memo.cache("answer", lambda: 1 / 0)
    (42, 42)
    """

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}
        self._errors: dict[Hashable, PETWorksError] = {}

    def cache(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the result that is stored under this key, or raise its error; call `work` on first use."""
        result: T
        try:
            result = self._results[key]
        except KeyError:
            pass
        else:
            return result
        if key in self._errors:
            raise self._errors[key]
        try:
            self._results[key] = result = work()
        except PETWorksError as error:
            self._errors[key] = error
            raise
        return result


if TYPE_CHECKING:
    cached = cached_property
else:

    class cached(cached_property):  # noqa: N801 (used as cached_property is)
        """A cached property that also stores an error, and raises it again on every access."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:  # noqa: ANN401
            """Return the value, or raise the stored error."""
            if instance is None:
                return self
            memo = vars(instance).setdefault("_cached", Memo())
            return memo.cache(self.attrname, lambda: self.func(instance))
