"""An adversary: a name, and the columns that it knows of people.

>>> neighbour = Adversary("neighbour", ["sex", {"birth": 2}])
>>> dict(neighbour.knows), neighbour.at_most
({'sex': 0, 'birth': 2}, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from PETWorks.errors import ParameterError

Rows = Literal["one", "all"]


@dataclass(frozen=True)
class Adversary:
    """Somebody who knows some columns of people: as released (level 0), or generalised to a level of the hierarchy.

    `rows` says how many rows of a person are known: "one" or "all". `at_most` is the number of people whom the
    adversary may find.
    """

    name: str
    knows: Any  # a list of columns, some perhaps as {column: level}; read into a mapping
    rows: Rows = "one"
    at_most: int = 0

    def __post_init__(self) -> None:
        """Normalise the known columns, and check every field that can be checked without a table."""
        object.__setattr__(self, "name", str(self.name).strip())
        if not self.name:
            raise ParameterError("an adversary has no name", hint='write name = "neighbour", for example')
        object.__setattr__(self, "knows", _read_knowledge(self.name, self.knows))
        if self.rows not in ("one", "all"):
            raise ParameterError(
                f'rows of the adversary "{self.name}" must be "one" or "all"', hint='omit it for "one"'
            )
        if isinstance(self.at_most, bool) or not isinstance(self.at_most, int) or self.at_most < 0:
            problem = f'at_most of the adversary "{self.name}" must be a whole number from 0 on'
            raise ParameterError(problem, hint="give the number of people who may be found")

    def to_dict(self) -> dict[str, Any]:
        """Return the adversary as plain values for JSON."""
        return {**vars(self), "knows": dict(self.knows)}


def _read_knowledge(name: str, knows: object) -> Mapping[str, int | str]:
    """Return the level at which each column is known, as a number or a name; level 0 is the released value."""
    if isinstance(knows, str) or not isinstance(knows, Iterable):
        problem = f'knows of the adversary "{name}" must be a list of columns, not {type(knows).__name__}'
        raise ParameterError(problem, hint='write knows=["sex", {"birth": 2}]')
    entries: list[tuple[object, object]] = []
    for one in [knows] if isinstance(knows, Mapping) else knows:
        entries += one.items() if isinstance(one, Mapping) else [(one, 0)]
    known: dict[str, int | str] = {}
    for column, level in entries:
        told = str(column).strip()
        if told in known:
            raise ParameterError(f'the adversary "{name}" knows "{told}" twice', hint="name each column once")
        if isinstance(level, bool) or not isinstance(level, int | str) or (isinstance(level, int) and level < 0):
            problem = f'the level at which the adversary "{name}" knows "{told}" is neither a number nor a name'
            raise ParameterError(problem, hint='write {"birth": 2}, for example')
        known[told] = level
    if not known:
        raise ParameterError(f'the adversary "{name}" knows nothing', hint='write knows=["sex", "birth"]')
    return known
