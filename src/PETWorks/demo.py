"""The demonstration data: a folder with a release of the Adult data, and a raw table for the application.

The folder has the release, its original, and a policy. Each column is generalised to one level of its hierarchy.
Classes with fewer than three occupations, and so all classes of fewer than three people, are suppressed. The release
meets some requirements of the policy and fails others; `petworks anonymize` makes one that meets all.

The raw table is the Adult data with a made-up number for each person, and some hierarchies.
"""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

from PETWorks.errors import OutputError
from PETWorks.hierarchies.files import find_hierarchies, read_hierarchy
from PETWorks.render.atomic_write import write_whole

INSTALLED = Path(__file__).parent / "data"
CHECKOUT = Path(__file__).parents[2] / "data"
LEVELS = {"sex": 0, "age": 2, "race": 0, "marital-status": 0, "education": 1, "native-country": 1}
SENSITIVE, MIN_OCCUPATIONS, SUPPRESSED = "occupation", 3, "*"
MARK = "# Written by: petworks demo\n"
POLICY = """\
version = 1
title = "Adult, a demonstration"

[data]                                # paths are relative to this file
released = "adult_released.csv"
original = "adult.csv"
hierarchies = "adult_hierarchy"

[roles]
quasi_identifiers = ["sex", "age", "race", "marital-status", "education", "native-country"]
sensitive = ["occupation"]
the_rest = "insensitive"

[[require]]
measure = "k-anonymity"
k = 5

[[require]]
measure = "l-diversity"
l = 3

[[require]]
measure = "t-closeness"
t = 0.5
distance = "hierarchical"

[[require]]
measure = "re-identification"
average = { at_most = 0.05 }

[[require]]
measure = "profitability"
cost = 4
gain = 300
loss = 300
benefit = 1200

[[require]]
measure = "Precision"
at_least = 0.6

# A check also looks at what no requirement is about, such as names in cells: its premises. What it finds may stay
# if somebody says why; petworks check policy.toml --premises writes the lines to fill in, such as
# [[accept]]
# premise = "rest"                    # the columns that are known to nobody outside
# columns = ["workclass"]
# why = "fill in"                     # who decided it, and on what grounds

[anonymize]                           # used by: petworks anonymize policy.toml
suppress_at_most = "5%"
coarsest = { sex = 0, race = 0 }      # stay as they are

[report]                              # written on every check
language = "LANGUAGE"
html = "report.html"
"""


def find_data_folder() -> Path:
    """Return the folder of the data, in the installed package or in a checkout."""
    return INSTALLED if INSTALLED.is_dir() else CHECKOUT


def write_policy(language: str) -> str:
    """Write the policy of the demonstration."""
    return MARK + POLICY.replace("LANGUAGE", language)


def refuse_others(folder: Path) -> None:
    """Raise an error if a folder has files but no unchanged policy of the demonstration."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not folder.is_dir():
        raise OutputError("this is a file, not a folder", where=str(folder), hint="name a folder: petworks demo FOLDER")
    own = folder / "policy.toml"
    if not own.is_file() or own.read_text(encoding="utf-8", errors="replace") not in map(write_policy, ("en", "zh_TW")):
        raise OutputError(
            "this folder has files that the demonstration did not write",
            where=str(folder),
            hint="name another folder: petworks demo FOLDER",
        )


def write_folder(folder: Path, language: str) -> int:
    """Write release, original, hierarchies and policy; return their size in bytes."""
    refuse_others(folder)
    data = find_data_folder()
    hierarchies = find_hierarchies(data / "adult_hierarchy")
    original = (data / "adult.csv").read_text(encoding="utf-8")
    files = {
        "policy.toml": write_policy(language),  # written first: it marks the folder as one of the demonstration
        "adult.csv": original,
        "adult_released.csv": generalise(original, hierarchies),
        **{f"adult_hierarchy/{path.name}": path.read_text(encoding="utf-8") for path in hierarchies.values()},
    }
    try:
        (folder / "adult_hierarchy").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot create this folder: {error.strerror or error}", where=str(folder)) from error
    for name, text in files.items():
        write_whole(folder / name, text)
    return sum(len(text.encode()) for text in files.values())


def generalise(original: str, hierarchies: dict[str, Path]) -> str:
    """Return the text of a table with quasi-identifiers at `LEVELS` and classes with few occupations suppressed."""
    header, *rows = csv.reader(io.StringIO(original), delimiter=";")
    places = {header.index(name): (read_hierarchy(name, hierarchies[name]), level) for name, level in LEVELS.items()}
    labels = [
        (place, {value: str(tree.lift(value, level)) for value in {row[place] for row in rows}})
        for place, (tree, level) in places.items()
    ]
    lifted = [tuple(label[row[place]] for place, label in labels) for row in rows]
    occupations: dict[tuple[str, ...], set[str]] = {}
    sensitive = header.index(SENSITIVE)
    for row, values in zip(rows, lifted, strict=True):
        occupations.setdefault(values, set()).add(row[sensitive])
    for row, values in zip(rows, lifted, strict=True):
        few = len(occupations[values]) < MIN_OCCUPATIONS
        for place, value in zip(places, values, strict=True):
            row[place] = SUPPRESSED if few else value
    written = io.StringIO()
    csv.writer(written, delimiter=";", lineterminator="\n").writerows([header, *rows])
    return written.getvalue()


TABLE, FOLDER = "adult.csv", "hierarchies"
NUMBER_COLUMN = "record-number"
GIVEN_HIERARCHIES = ("sex", "race", "marital-status", "education", "native-country")  # the user builds that of age
SEED = 1994  # the year of the census


def write_raw(folder: Path) -> dict[str, str]:
    """Write the raw table and its hierarchies; return the hierarchy files by column, relative to the folder."""
    data = find_data_folder()
    if folder.is_symlink():
        raise OutputError("this folder is a symbolic link, and could lead anywhere", where=folder.name)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    header, *rows = (data / TABLE).read_text(encoding="utf-8").splitlines()
    numbers = random.Random(SEED).sample(range(100_000, 1_000_000), len(rows))  # noqa: S311 (they protect nothing)
    lines = [f"{NUMBER_COLUMN};{header}", *(f"C{number};{row}" for number, row in zip(numbers, rows, strict=True))]
    write_whole(folder / TABLE, "\n".join(lines) + "\n", below=folder)
    files = {name: f"{FOLDER}/{name}.csv" for name in GIVEN_HIERARCHIES}
    for name, file in files.items():
        text = (data / "adult_hierarchy" / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8")
        write_whole(folder / file, text, below=folder)
    return files
