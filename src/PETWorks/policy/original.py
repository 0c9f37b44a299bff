"""The original of a policy that is still being written: a release of itself, before there are requirements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PETWorks.policy.data import read_release
from PETWorks.policy.policy import all_of
from PETWorks.policy.toml import Problems, Settings
from PETWorks.release import Release


def original_of(
    content: Mapping[str, Any], folder: Path, memory: Mapping[str, Any], name: str = "policy.toml"
) -> Release:
    """Return the table that a policy names as its original, with its roles and hierarchies, as a release of itself.

    `content` is what TOML reads from the policy. A `PolicyError` lists all problems.
    """
    problems = Problems()
    file = Settings({**content}, name, problems)
    data, roles, trees = map(file.table, ("data", "roles", "hierarchies"))
    release = read_release(folder, data, roles, trees, problems, main="original", memory=memory)
    if release is None or problems:
        raise all_of(problems, name)
    return release
