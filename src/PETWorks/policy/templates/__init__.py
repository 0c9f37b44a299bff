"""Templates: policies to start from, each with its sources. The file of a template follows `head.toml`.

Policies to start from: requirements with a source and a clause, and blanks for what the user decides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from PETWorks.errors import UnknownNameError, did_you_mean
from PETWorks.policy.requirements import Blank, blanks

HEAD = "head"
TABLE = re.compile(r"^(?=\[\[)", re.MULTILINE)  # before each table of a list


class Asked(NamedTuple):
    """A requirement of a template: its table in the policy, and the meaning of each blank by key."""

    content: Mapping[str, Any]
    meant: Mapping[str, str]


@dataclass(frozen=True)
class Template:
    """A policy to start from: never a claim of conformity. `print(template)` writes the policy file."""

    name: str
    requirements: str  # the text of what is required, and of what a table cannot show

    @property
    def text(self) -> str:
        """The text of the policy file, with `"fill in"` for everything that the user must decide."""
        return _read_file(HEAD) + self.requirements

    @property
    def blanks(self) -> tuple[Blank, ...]:
        """The values that the user must decide: line, key and meaning."""
        return tuple(blanks(self.text))

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """The requirements, each with the meaning of its blanks."""
        parts = [part for part in TABLE.split(self.requirements) if part.startswith("[[require]]")]
        return tuple(
            Asked(tomllib.loads(part)["require"][0], {blank.key: blank.meant for blank in blanks(part)})
            for part in parts
        )

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """The tables that the template adds to a policy: requirements, and statements that no table can show."""
        return tomllib.loads(self.requirements)

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that the requirements name, each once."""
        named = [one.get("source") for kind in ("require", "not_shown") for one in self.content.get(kind, [])]
        return tuple(dict.fromkeys(filter(None, named)))

    def __str__(self) -> str:
        """Write the policy file."""
        return self.text


@lru_cache
def templates() -> Mapping[str, Template]:
    """Return every template by its name."""
    folder = files(__package__)
    names = sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml"))
    return {name: Template(name, _read_file(name)) for name in names if name != HEAD}


def template(name: str) -> Template:
    """Return a template by its name."""
    if name not in templates():
        raise UnknownNameError(f'there is no template "{name}"', hint=did_you_mean(name, templates()))
    return templates()[name]


def _read_file(name: str) -> str:
    return files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
