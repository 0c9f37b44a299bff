"""The trusted projects of the user: those made on this machine, and those that the user confirmed.

`trusted.json` in the user's settings folder has, for each, its folder, the id of its journal, and its symbolic links.
Another project in the same folder has another journal, and is not trusted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PETWorks.errors import SettingsError
from PETWorks.user.folder import find_folder, read_private, write_private

MAX_PROJECTS = 1_000  # the one that was trusted first is forgotten first


def is_trusted(folder: Path, journal: str, links: Sequence[str]) -> bool:
    """Return True if the project of a folder is trusted, with this journal and no further symbolic links."""
    entry = _read().get(str(folder.resolve()))
    return entry is not None and entry["journal"] == journal and set(links) <= set(entry["links"])


def trust(folder: Path, journal: str, links: Sequence[str] = ()) -> None:
    """Record that the user trusts the project of a folder."""
    place = str(folder.resolve())
    known = {name: entry for name, entry in _read().items() if name != place}
    known[place] = {"journal": journal, "links": list(links)}
    kept = dict(list(known.items())[-MAX_PROJECTS:])
    write_private(_find_path(), json.dumps({"projects": kept}, ensure_ascii=False).encode() + b"\n")


def _find_path() -> Path:
    return find_folder() / "trusted.json"


def _read() -> dict[str, Any]:
    if (content := read_private(_find_path())) is None:
        return {}
    try:
        projects = json.loads(content)["projects"]
        return {
            str(name): {"journal": str(one["journal"]), "links": [str(link) for link in one["links"]]}
            for name, one in projects.items()
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        hint = "delete it: you are then asked again for each project"
        raise SettingsError("this is no list of trusted projects", where=str(_find_path()), hint=hint) from error
