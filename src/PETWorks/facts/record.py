"""The record of an evaluation's inputs: enough to repeat it, and to recognise the same files.

A table or hierarchy in memory has no digest, since nobody could recompute it from a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from PETWorks.errors import PETWorksError
from PETWorks.facts.commitment import Commitment, list_commitments, list_digests
from PETWorks.facts.facts import Facts
from PETWorks.facts.roles import Roles
from PETWorks.facts.tallies import Input, find_tables


class HierarchyInput(NamedTuple):
    """The hierarchy of a column: its file, its height and the SHA-256 of the file; None if it was not in a file."""

    column: str
    name: str | None
    height: int
    digest: str | None


class PolicyInput(NamedTuple):
    """The policy file: its name and its SHA-256."""

    name: str
    digest: str


@dataclass(frozen=True, eq=False)
class InputRecord:
    """The tables, hierarchies and policy with their digests, the roles, and how the tables were read."""

    inputs: tuple[Input, ...]
    hierarchies: tuple[HierarchyInput, ...]
    policy: PolicyInput | None
    roles: Roles
    key: str | None  # the column that pairs rows; None: by position
    vouched: bool  # True: the caller vouched for the pairing, so it was not checked
    unpaired: str  # "synthetic": rows are nobody's; "none": they pair with no others; "": they pair
    marker: str
    options: Mapping[str, Any]  # other options for reading the tables; None: the default
    least: int = 1  # classes of fewer people are not described
    original_rows: int | None = None  # None: not counted
    original_digest: bool = True  # False: the original's digest is left out
    secret: str | None = None  # 32 random bytes in hexadecimal digits, the key of commitments; None: no record is kept

    @property
    def heights(self) -> Mapping[str, int]:
        """The heights of the hierarchies, by column."""
        return {one.column: one.height for one in self.hierarchies}

    @property
    def commitments(self) -> tuple[Commitment, ...]:
        """What reports state of the digests: that of the release, and commitments to the others if a record is kept."""
        return tuple(list_commitments(self.to_dict()))

    @property
    def hides_digests(self) -> bool:
        """True if some digests may only be in the record."""
        return any(not one.is_release for one in list_digests(self.to_dict()))

    def without_original_digest(self) -> InputRecord:
        """Return a copy of the record without the digest of the original."""
        inputs = tuple(one._replace(digest=None) if one.role == "original" else one for one in self.inputs)
        return replace(self, inputs=inputs, original_digest=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values for JSON."""
        return {
            "tables": [_to_plain(one) for one in self.inputs],
            "hierarchies": [_to_plain(one) for one in self.hierarchies],
            "policy": self.policy and _to_plain(self.policy),
            "roles": {role: list(names) for role, names in vars(self.roles).items()},
            "pairing": self._pairing,
            **({"synthetic": True} if self.unpaired == "synthetic" else {}),
            "key": self.key,
            "suppressed": self.marker,
            **self.options,
            "small_classes": "shown" if self.least == 1 else "withheld",
            **({} if self.secret is None else {"secret": self.secret}),
        }

    @property
    def _pairing(self) -> str | None:
        if self.unpaired:
            return "none"
        return ("position" if self.key is None else "key") if self.vouched else None


def _to_plain(one: Input | HierarchyInput | PolicyInput) -> dict[str, Any]:
    plain = one._asdict()
    return plain | {"sha256": plain.pop("digest")}


def build_record(facts: Facts, policy: PolicyInput | None = None) -> InputRecord:
    """Build the record of facts; reads files whose digest is not known yet."""
    tables = find_tables(facts)
    unknown_values = "generalised" if facts.forgiving else "error"
    return InputRecord(
        inputs=tables.describe_inputs(),
        hierarchies=tuple(_describe_hierarchies(facts)),
        policy=policy,
        roles=facts.roles,
        key=tables.key,
        vouched=tables.vouched,
        unpaired="synthetic" if tables.synthetic else "none" if tables.unpaired else "",
        marker=tables.marker,
        options={
            "weight": tables.weight,
            **tables.people.to_dict(),
            "unknown_values": unknown_values,
            **tables.reading.values(),
            **tables.preparing.plain(defaults=False),
            **({"earlier": [one.describe() for one in tables.editions[:-1]]} if tables.editions else {}),
        },
    )


def _describe_hierarchies(facts: Facts) -> Iterator[HierarchyInput]:
    """Yield the hierarchies that can be read; for the others, measures raise the error."""
    for column in facts.hierarchies:
        with suppress(PETWorksError):
            one = facts.hierarchies[column]
            yield HierarchyInput(column, one.where if one.digest else None, one.height, one.digest)
