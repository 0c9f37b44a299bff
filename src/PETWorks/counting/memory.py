"""The memory limit, and the folder for temporary files.

>>> Workspace.of("500 MB").memory
500000000
>>> Workspace.of("1.5 GiB").memory
1610612736
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from PETWorks.errors import ParameterError, shown

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
LEAST_MEMORY = 100 * 10**6  # smallest limit, in bytes, that a caller may set
SHARE = 0.6  # share of the machine's memory that is used if the caller sets no limit
AMPLE = 2 * 2**30  # with less memory than so many bytes, less is read at a time
UNKNOWN_MACHINE = 4 * 2**30  # bytes that are assumed if the system does not tell its memory
CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")  # the memory limit of a Linux container


def machine_memory() -> int:
    """Return the bytes of memory that this machine has, or that this container may use."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return UNKNOWN_MACHINE
    try:
        return min(memory, int(CONTROL_GROUP.read_text()))
    except (OSError, ValueError):  # the file does not exist, or holds "max": there is no limit
        return memory


@dataclass(frozen=True)
class Workspace:
    """Bytes of memory for tallies and the work on them, and a folder for temporary files."""

    memory: int = field(default_factory=lambda: int(SHARE * machine_memory()))
    folder: str | None = None  # None: the system's own folder for temporary files

    @classmethod
    def of(cls, memory_limit: str | int | None = None, folder: str | os.PathLike[str] | None = None) -> Workspace:
        """Build a workspace from the caller's memory limit, such as "2 GB", and folder; None means the default."""
        if folder is not None and not (isinstance(folder, str | os.PathLike) and Path(folder).is_dir()):
            hint = "name a folder that exists"
            raise ParameterError(f"the folder for temporary files does not exist: {str(folder)!r:.200}", hint=hint)
        place = None if folder is None else os.fspath(folder)
        return cls(folder=place) if memory_limit is None else cls(_bytes(memory_limit), place)


def _bytes(written: str | int) -> int:
    """Read an amount of memory: a number of bytes, or text with a unit."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)", str(written).strip().lower().replace(",", ""))
    if not found or found[2] not in UNITS:
        problem = f"the memory limit is not an amount of memory: {shown(written)}"
        raise ParameterError(problem, hint='write "500 MB" or "2 GB"')
    if (memory := int(Decimal(found[1]) * UNITS[found[2]])) < LEAST_MEMORY:
        raise ParameterError(
            f"the memory limit is too small: {shown(written)}", hint=f"allow at least {LEAST_MEMORY // 10**6} MB"
        )
    return min(memory, sys.maxsize)


def scaled(size: int, memory: int) -> int:
    """Return how many rows or bytes to read at a time: `size` if memory is ample, else in proportion to the memory.

    A few batches wait for their turn, each of them as bytes, as Arrow's columns and as coded columns; for 100 MB, all
    of that must be a small part of 100 MB.

    >>> scaled(1000, AMPLE), scaled(1000, AMPLE // 2)
    (1000, 500)
    """
    return max(1, size * min(memory, AMPLE) // AMPLE)


def readable(memory: float) -> str:
    """Write an amount of memory in MB or GB.

    >>> readable(1_234_000_000), readable(500_000_000)
    ('1.2 GB', '500 MB')
    """
    return f"{memory / 10**9:.1f} GB" if memory >= 10**9 else f"{memory / 10**6:.0f} MB"
