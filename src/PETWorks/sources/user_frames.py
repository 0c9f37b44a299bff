"""Frames that are handed to the user: of pandas, polars or Arrow, whichever the user works with."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from PETWorks.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    import pyarrow as pa

Library = Literal["pandas", "polars", "pyarrow"]
LIBRARIES: tuple[Library, ...] = get_args(Library)  # of those that are installed, the first is used for files


def library_of(table: Any) -> Library:  # noqa: ANN401 (any kind of table)
    """Return the library of a table in memory; for a file or another kind of table, the first that is installed.

    >>> import pyarrow
    >>> library_of(pyarrow.table({"zip": ["100"]}))
    'pyarrow'
    """
    import narwhals as nw

    implementation = getattr(nw.from_native(table, pass_through=True), "implementation", None)
    own = [one for one in LIBRARIES if implementation is not None and one == implementation.value]
    return next(one for one in (*own, *LIBRARIES) if find_spec(one))


def user_frame(table: pa.Table, library: Library) -> Any:  # noqa: ANN401 (a frame of that library)
    """Convert an Arrow table to a frame of a library."""
    if library not in LIBRARIES:
        raise ParameterError(f"library cannot be {library!r}", hint=did_you_mean(str(library), LIBRARIES))
    if not find_spec(library):
        raise ParameterError(f"{library} is not installed", hint="install it, or choose another library=")
    import narwhals as nw

    frame = nw.from_native(table)
    return {"pandas": frame.to_pandas, "polars": frame.to_polars, "pyarrow": frame.to_native}[library]()


def unused(name: str, names: Any) -> str:  # noqa: ANN401 (a collection of names)
    """Return a name for a column that is not among `names`: primes are added, since a column may be called "size"."""
    while name in names:
        name += "'"
    return name
