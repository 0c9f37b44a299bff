"""Options that several commands have."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import get_args

from PETWorks.cli.languages import language
from PETWorks.presentation import Audience

NO_DIGEST = "leave the original's SHA-256 out of the report"
REPEATED = "a column that an adversary may know; may be repeated"


def add_table(one: argparse._ActionsContainer) -> None:
    """Add the options about the table."""
    group = one.add_argument_group("the table", "With no roles given, every column is a quasi-identifier.")
    add = group.add_argument
    add_known_roles(group)
    add("--original", metavar="FILE", help="the table before it was de-identified")
    add("--population", metavar="FILE", help="a table of the whole population, including the released people")
    add("--hierarchies", metavar="FOLDER", help="a folder of *_hierarchy_<column>.csv")
    add("--key", metavar="COLUMN", help="a column that pairs the rows of original and release (default: by position)")
    about = "vouch for how rows pair, which is otherwise checked: by position, or by the key"
    add("--pairing", choices=("position", "key"), help=about)
    add("--weight", metavar="COLUMN", help="the sampling weights: how many people of the population a row stands for")
    add_people(group)
    add("--suppressed", metavar="TEXT", help="the text of a suppressed cell (default: *)")
    about = "treat a value that is not in its hierarchy as an error (default), or as fully generalised"
    add("--unknown-values", choices=("error", "generalised"), help=about)
    add_reading(group)
    add_engine(group)
    add_memory(group)


def add_people(one: argparse._ActionsContainer) -> None:
    """Add the options about people who have several rows."""
    add = one.add_argument
    add("--person", metavar="COLUMN", help="whose rows they are: people are counted, not rows (default: each is one)")
    add("--known", choices=("one", "all"), help="what an adversary knows of a person: one record (default), or all")
    about = "who rows without a person belong to: they are one person together, or each is one (default: an error)"
    add("--unknown-person", choices=("together", "each"), help=about)


def add_known_roles(one: argparse._ActionsContainer) -> None:
    """Add the roles that matter to measures."""
    add = one.add_argument
    add("-q", "--quasi-identifier", dest="quasi_identifiers", metavar="COLUMN", action="append", help=REPEATED)
    add("-s", "--sensitive", metavar="COLUMN", action="append", help="a column that must stay hidden; may be repeated")
    about = "a column that names a person, which is ignored; may be repeated"
    add("-i", "--identifier", dest="identifiers", metavar="COLUMN", action="append", help=about)


def add_roles(one: argparse._ActionsContainer) -> None:
    """Add all roles."""
    add_known_roles(one)
    about = "a column that is none of these, and released as it is; may be repeated"
    one.add_argument("--insensitive", metavar="COLUMN", action="append", help=about)


def add_reading(one: argparse._ActionsContainer) -> None:
    """Add the options about the form of CSV files."""
    add = one.add_argument
    add("--delimiter", metavar="TEXT", help="the delimiter of CSV cells, or the word tab (default: detected)")
    add("--encoding", metavar="NAME", help="the encoding of CSV files (default: detected)")
    add("--sheet", metavar="NAME", help="the sheet of an Excel workbook (default: its only one)")
    about = "read a value that has a label in SPSS or Stata as the text of its label (default), or as its code"
    add("--value-labels", choices=("text", "codes"), help=about)


def add_engine(one: argparse._ActionsContainer) -> None:
    """Add the options about what reads and counts tables."""
    about = "what reads and counts tables: embedded (default), or spark, which also reads addresses such as hdfs://"
    one.add_argument("--engine", choices=("embedded", "spark"), default="embedded", help=about)
    about = "the Spark cluster: spark://host:7077, yarn, k8s://…, sc://host (default: as Spark is configured)"
    one.add_argument("--master", metavar="URL", help=about)
    one.set_defaults(spark=None)


def add_memory(one: argparse._ActionsContainer) -> None:
    """Add the options about memory."""
    about = 'memory that counting and measuring may take, as in "2 GB" (default: most of what the machine has)'
    one.add_argument("--memory-limit", metavar="SIZE", help=about)
    about = "where to put what does not fit in memory (default: the system's folder for temporary files)"
    one.add_argument("--temporary", metavar="FOLDER", help=about)


def add_output(one: argparse._ActionsContainer, formats: Sequence[str]) -> None:
    """Add the options about the answer."""
    group = one.add_argument_group("the answer")
    add = group.add_argument
    add_format(group, formats)
    add("--show-small-classes", action="store_true", help="also show what describes fewer than five people")
    if "html" in formats:
        about = "who may read it: internal (those who may see the table) or public (default of markdown and junit)"
        add("--audience", choices=get_args(Audience), help=about)
        add("--no-original-digest", action="store_true", help=NO_DIGEST)
    add_language(group)


def add_format(one: argparse._ActionsContainer, formats: Sequence[str]) -> None:
    """Add the options about the form and the file of the answer."""
    add = one.add_argument
    add("--format", choices=formats, help=f"{', '.join(formats)} (default: by the name of the file, else text)")
    add("-o", "--output", metavar="FILE", help="write to this file, completely or not at all (default, or -: print)")
    one.set_defaults(formats=formats)


def add_ways(one: argparse._ActionsContainer) -> None:
    """Add the ways to build a hierarchy."""
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
    add_memory(one)
    add_language(one)


def add_failing_rows(one: argparse._ActionsContainer) -> None:
    """Add the option that names failing rows."""
    about = "write the numbers of the rows in failing classes (the first below the header is 1); do not publish it"
    one.add_argument("--failing-rows", metavar="FILE", help=about)


def add_language(one: argparse._ActionsContainer) -> None:
    """Add the language of the answer."""
    about = "language of the answer: en, zh_TW (default: that of the policy, else PETWORKS_LANG, else LANG)"
    one.add_argument("--lang", type=language, metavar="LANGUAGE", help=about)
