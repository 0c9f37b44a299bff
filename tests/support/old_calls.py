"""Read tables and hierarchies naively, and call the old interface with arguments by name."""

import csv
from pathlib import Path

from PETWorks import PETAnonymization
from PETWorks.attributetypes import QUASI_IDENTIFIER
from support.places import ROOT

TYPES = {"zip": QUASI_IDENTIFIER, "age": QUASI_IDENTIFIER, "nationality": QUASI_IDENTIFIER}  # of delta and presence
DELTA = {"originalData": str(ROOT / "data/delta.csv"), "dataHierarchy": str(ROOT / "data/delta_hierarchy")}


def read(path):
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [[cell.strip() for cell in line] for line in csv.reader(file, delimiter=";")]


def rows_of(path):
    header, *lines = read(path)
    return [dict(zip(header, line, strict=True)) for line in lines]


def tree_of(path):
    return {line[0]: tuple(line) for line in read(path)}


def trees_of(folder, names):
    return {name: tree_of(next(Path(folder).glob(f"*_hierarchy_{name}.csv"))) for name in names}


def records(frame):
    return frame.to_dict("records")


def release(place, tech, rate, types, **arguments):
    return PETAnonymization(tech=tech, attributeTypes=types, maxSuppressionRate=rate, **place, **arguments)
