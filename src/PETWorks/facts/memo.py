"""Do work once and keep its result, or its error: rows are not read again only to raise the same error again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from PETWorks.errors import PETWorksError

T = TypeVar("T")


class Memo:
    """Results of work by key.

    >>> memo = Memo()
    >>> memo.once("answer", lambda: 42), memo.once("answer", lambda: 1 / 0)
    (42, 42)
    """

    def __init__(self) -> None:
        self._results: dict[Hashable, Any] = {}
        self._errors: dict[Hashable, PETWorksError] = {}

    def once(self, key: Hashable, work: Callable[[], T]) -> T:
        """Return the result of the work done under this key, or raise its error; do the work if it was not done yet."""
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
    kept = cached_property
else:

    class kept(cached_property):  # noqa: N801 (used as cached_property is)
        """A cached property that also keeps an error, and raises it again on every access."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:  # noqa: ANN401
            """Return the value, or raise the error that was kept."""
            if instance is None:
                return self
            memo = vars(instance).setdefault("_kept", Memo())
            return memo.once(self.attrname, lambda: self.func(instance))
