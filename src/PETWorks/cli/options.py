"""Options that several commands have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from PETWorks.cli.languages import language
from PETWorks.settings.kinds import EditionList, Flag, Names, PerColumn, Word
from PETWorks.settings.section import Section, declared, meaning
from PETWorks.settings.sections import DATA, EarlierReleases, Engine, ReportFiles, RoleLists

WRITE_OUTSIDE = "also write files that the policy names outside its folder, or that are hidden"
READ_OUTSIDE = "let the query of the policy also read files outside its folder"
NO_DIGEST = "leave the original's SHA-256 out of the report"
KNOWN_ROLES = ("quasi_identifiers", "sensitive", "identifiers")  # that matter to measures


def add_settings(one: argparse._ActionsContainer, *sections: type[Section]) -> None:
    """Add the options of some sections of settings."""
    for section in sections:
        for name, setting in declared(section).items():
            if setting.option_name:
                add_setting(one, section, name)


def add_setting(one: argparse._ActionsContainer, section: type[Section], name: str) -> None:
    """Add the option of a setting."""
    setting = declared(section)[name]
    about = meaning(section, name)
    options: dict[str, Any] = {"dest": name, "metavar": setting.kind.metavar}
    match setting.kind:
        case Flag():
            options = {"dest": name, "action": "store_true"}
        case Word(words=words):
            options = {"dest": name, "choices": words}
        case Names() | PerColumn() | EditionList():
            options["action"], about = "append", f"{about}; may be repeated"
    flags = [setting.short, setting.option_name] if setting.short else [setting.option_name]
    one.add_argument(*flags, help=about.replace("%", "%%"), **options)


def add_table(one: argparse._ActionsContainer) -> None:
    """Add the options about the table."""
    group = one.add_argument_group("the table", "With no roles given, every column is a quasi-identifier.")
    for name in KNOWN_ROLES:
        add_setting(group, RoleLists, name)
    add_settings(group, *DATA, EarlierReleases)
    add_engine(group)
    add_settings(group, Engine)


def add_engine(one: argparse._ActionsContainer) -> None:
    """Add the options about the engine that reads and counts tables."""
    about = "what reads and counts tables: embedded (default), or spark, which also reads addresses such as hdfs://"
    one.add_argument("--engine", choices=("embedded", "spark"), default="embedded", help=about)
    about = "the Spark cluster: spark://host:7077, yarn, k8s://…, sc://host (default: as Spark is configured)"
    one.add_argument("--master", metavar="URL", help=about)
    one.set_defaults(spark=None)


def add_output(one: argparse._ActionsContainer, formats: Sequence[str]) -> None:
    """Add the options about the answer."""
    group = one.add_argument_group("the answer")
    add = group.add_argument
    add_format(group, formats)
    add_setting(group, ReportFiles, "show_small_classes")
    if "html" in formats:
        add_setting(group, ReportFiles, "audience")
        add("--no-original-digest", action="store_true", help=NO_DIGEST)
    add_language(group)


def add_format(one: argparse._ActionsContainer, formats: Sequence[str]) -> None:
    """Add the options about the form and the file of the answer."""
    add = one.add_argument
    add("--format", choices=formats, help=f"{', '.join(formats)} (default: by the name of the file, else text)")
    add("-o", "--output", metavar="FILE", help="write to this file, completely or not at all (default, or -: print)")
    one.set_defaults(formats=formats)


def add_ways(one: argparse._ActionsContainer) -> None:
    """Add the options that build a hierarchy."""
    about = (
        "One of these; without any, what the values call for. A list has an entry for\neach level, with commas between."
    )
    add = one.add_argument_group("how it is built", about).add_argument
    add("--widths", metavar="LIST", help="intervals of numbers, as in 5,10,20; each a multiple of the one before")
    add("--bottom", metavar="NUMBER", help="where the first interval starts; lower numbers are in a range of their own")
    add("--top", metavar="NUMBER", help="where the last interval ends; numbers from there on are in a range, too")
    add("--origin", metavar="NUMBER", help="a border of the intervals (default: the bottom, else the top, else 0)")
    add("--parts", metavar="LIST", help="ranges of numbers with about as many people each, as in 8,4,2")
    add("--keep", metavar="LIST", help="the first characters of codes, as in 3,1")
    add("--keep-from", choices=("left", "right"), help="right: the last characters of codes (default: left)")
    add("--mask", metavar="TEXT", help="the character in place of the others (default: *)")
    periods = "day, month, quarter, half-year, year, five years, decade"
    add("--dates", metavar="LIST", help=f"dates by period, as in month,year: {periods}")
    add("--read", choices=("iso", "roc"), help="the calendar of short years, as in 79-05-21 (default: found out)")
    add("--write", choices=("iso", "roc"), help="the calendar of the labels (default: as found)")
    add("--order", metavar="LIST", help="values in their order, of which neighbours become groups; beside it --sizes")
    add("--sizes", metavar="LIST", help="how many neighbours make a group, as in 2,4")
    add("--share", metavar="LIST", help="values of a smaller share of the people become one group, as in 1%%,5%%")
    add("--label", metavar="TEXT", help="the name of that group (default: other)")
    about = "places of Taiwan: district, county, region (default: all three)"
    add("--places", metavar="LIST", nargs="?", const="district,county,region", help=about)
    add("--file", metavar="FILE", help="the file of a hierarchy, to be compared with the table")


def add_serving(one: argparse._ActionsContainer) -> None:
    """Add the options of the application: what it opens, its address, and the files that it may open."""
    about = "a project's folder, or a table to make one of (default: choose in the browser)"
    one.add_argument("what", metavar="FOLDER|TABLE", nargs="?", help=about)
    about = "the folder below which files can be opened (default: that of what is named, else the current one)"
    one.add_argument("--root", metavar="FOLDER", help=about)
    one.add_argument("--port", metavar="NUMBER", type=int, default=0, help="the port (default, or 0: a free one)")
    about = "print the address, and open no browser"
    one.add_argument("--no-browser", action="store_true", help=about)
    about = "the address to listen at (default: 127.0.0.1, this machine only); others need --behind-proxy"
    one.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help=about)
    about = "the address that a proxy, which encrypts and asks who it is, gives to users: https://petworks.example.org"
    one.add_argument("--behind-proxy", metavar="URL", help=about)
    add_settings(one, Engine)
    add_language(one)


def add_failing_rows(one: argparse._ActionsContainer) -> None:
    """Add the option that names failing rows."""
    about = "write the numbers of the rows in failing classes (the first below the header is 1); do not publish it"
    one.add_argument("--failing-rows", metavar="FILE", help=about)


def add_language(one: argparse._ActionsContainer) -> None:
    """Add the language of the answer."""
    about = "language of the answer: en, zh_TW (default: that of the policy, else PETWORKS_LANG, else LANG)"
    one.add_argument("--lang", type=language, metavar="LANGUAGE", help=about)


def add_reading_outside(one: argparse.ArgumentParser) -> None:
    """Add the option that lets the query of a policy read files outside its folder."""
    one.add_argument("--read-outside", action="store_true", help=READ_OUTSIDE)


def collect_reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options about memory, and about what a query may read, as arguments of `Policy`."""
    return {**collect_memory(options), "read_outside": options.read_outside}


def collect_memory(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options about memory, as arguments of `Release`."""
    return {name: getattr(options, name) for name in declared(Engine)}
