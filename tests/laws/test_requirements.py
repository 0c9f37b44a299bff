"""The tested versions: each with hashes, none with an address, and all that pyproject.toml asks for is among them."""

import re
import tomllib
from itertools import chain

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.places import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PYPROJECT["optional-dependencies"]
WANTED = {
    "run": [*PYPROJECT["dependencies"], "hatchling", "editables"],
    "docs": [*PYPROJECT["dependencies"], *EXTRAS["docs"], "hatchling", "editables"],
    "dev": [*PYPROJECT["dependencies"], *chain(*EXTRAS.values()), "hatchling", "editables"],
    "uv": ["uv"],
}
PINNED = re.compile(r"^(\S+)==(\S+)(?: ; [^\\\n]+)? \\\n((?: {4}--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


@pytest.mark.parametrize("name", WANTED)
def test_versions_have_hashes_and_no_address(name):
    text = (ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")
    rest = "".join(line for line in PINNED.sub("", text).splitlines(keepends=True) if not line.startswith("#"))
    assert rest == ""
    assert "://" not in text
    pinned: dict[str, list[str]] = {}
    for package, version, _ in PINNED.findall(text):
        pinned.setdefault(package, []).append(version)
    for one in map(Requirement, WANTED[name]):
        if one.name != "petworks":
            assert all(version in one.specifier for version in pinned[canonicalize_name(one.name)])


def test_the_installer_is_the_one_that_was_tested():
    installer = (ROOT / "requirements/uv.txt").read_text(encoding="utf-8").partition("uv==")[2]
    assert installer in (ROOT / "requirements/dev.txt").read_text(encoding="utf-8")


def test_make_installs_by_hash():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert makefile.count("--require-hashes") == makefile.count("--requirement ") > 0
    assert "--no-build-isolation" in makefile
