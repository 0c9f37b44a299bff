"""The options of each command."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from PETWorks.cli.options import (
    NO_DIGEST,
    WRITE_OUTSIDE,
    add_engine,
    add_failing_rows,
    add_format,
    add_language,
    add_output,
    add_reading_outside,
    add_serving,
    add_setting,
    add_settings,
    add_table,
    add_ways,
)
from PETWorks.cli.parser import SHELLS, Parser
from PETWorks.render.formats import list_format_names
from PETWorks.settings.sections import Engine, Reading, ReportFiles, RoleLists, Search

TABLE = "Arrow, CSV, Excel, JSON, OpenDocument, Parquet, SAS, SPSS or Stata, or a folder of Parquet files"
MEASURE = "what to measure; may be repeated (default: everything that can be evaluated)"


def _add_table_of(one: Parser, kind: str) -> None:
    one.add_argument("table", metavar="TABLE", help=f"the {kind} table: {TABLE}")


def _add_policy(one: Parser) -> None:
    one.add_argument("policy", metavar="POLICY", help="the policy file (TOML)")


def _add_evaluate(one: Parser) -> None:
    _add_table_of(one, "released")
    one.add_argument("-m", "--measure", dest="measures", metavar="MEASURE", action="append", default=[], help=MEASURE)
    add_table(one)
    add_output(one, list_format_names())
    add_failing_rows(one)
    one.usage, one.more = "petworks evaluate TABLE [-m MEASURE ...] [OPTION ...]", _add_parameters


def _add_inspect(one: Parser) -> None:
    _add_table_of(one, "raw")
    add_settings(one, Reading)
    add_settings(one, Engine)
    add_format(one, ("text", "json"))
    add_language(one)


def _add_init(one: Parser) -> None:
    _add_table_of(one, "raw")
    about = "take suggestions as they are, and leave open what is a question; otherwise every column is asked about"
    one.add_argument("--yes", action="store_true", help=about)
    about = "write policy.toml into this folder (default: the current one)"
    one.add_argument("-o", "--output", metavar="FOLDER", default=".", help=about)
    one.add_argument("--overwrite", action="store_true", help="replace a policy.toml that exists")
    about = "take the requirements of this template (petworks templates lists them)"
    one.add_argument("--template", metavar="NAME", help=about)
    about = "judge this synthetic table, which was made from the other one; nothing is anonymised"
    one.add_argument("--synthetic", metavar="FILE", help=about)
    about = "people of the same kind who took no part in making the synthetic table"
    one.add_argument("--holdout", metavar="FILE", help=about)
    about = "require this measure, with its parameters as limits; may be repeated"
    one.add_argument("-m", "--measure", dest="measures", metavar="MEASURE", action="append", default=[], help=about)
    add_settings(one.add_argument_group("roles", "What is not named here is suggested, or asked about."), RoleLists)
    add_settings(one, Reading)
    add_settings(one, Engine)
    add_language(one)
    one.usage, one.more = "petworks init TABLE [--yes] [OPTION ...]", _add_parameters


def _add_check(one: Parser) -> None:
    _add_policy(one)
    add_engine(one)
    add_settings(one, Engine)
    add_output(one, list_format_names())
    add_failing_rows(one)
    one.add_argument("--write-outside", action="store_true", help=WRITE_OUTSIDE)
    add_reading_outside(one)
    about = "print only the lines of [[accept]] that would let the premises that fail stand, with reasons to fill in"
    one.add_argument("--premises", action="store_true", help=about)
    about = "write the numbers of the rows that speak against premises; do not publish it"
    one.add_argument("--premise-rows", metavar="FILE", help=about)


def _add_anonymize(one: Parser) -> None:
    _add_policy(one)
    about = "write the release, as *.csv, *.parquet or another format by its ending (default: released of the policy)"
    one.add_argument("-o", "--output", metavar="FILE", help=about)
    one.add_argument("--dry-run", action="store_true", help="make the release, but write nothing")
    about = "also write the record, a JSON file: digests, plan, proof, what was measured; petworks verify repeats it"
    one.add_argument("--record", metavar="FILE", help=about)
    one.add_argument("--report", metavar="FILE", help="also write the report, an HTML page (default: as in the policy)")
    about = "also write the front of risk and utility, an HTML page: what else could be had; also with --dry-run"
    one.add_argument("--front", metavar="FILE", help=about)
    about = "level vectors that are evaluated for the front, at most (default: as many as take a few seconds)"
    one.add_argument("--front-work", metavar="N", type=int, help=about)
    one.add_argument("--write-outside", action="store_true", help=WRITE_OUTSIDE)
    add_reading_outside(one)
    one.add_argument("--no-original-digest", action="store_true", help=NO_DIGEST)
    add_settings(one, Search)
    about = "also show, in errors and reports, what describes fewer than five people"
    one.add_argument("--show-small-classes", action="store_true", help=about)
    add_settings(one, Engine)
    add_language(one)


def _add_compare(one: Parser) -> None:
    about = "two or more released tables of one original (default: the candidates that the policy has pinned)"
    one.add_argument("tables", metavar="TABLE", nargs="*", help=about)
    about = "the policy file (TOML) by which each is judged; the table that it names as released is not read"
    one.add_argument("--policy", metavar="POLICY", required=True, help=about)
    about = "what a table is called; give one for each, in their order (default: the names of the files)"
    one.add_argument("--name", dest="names", metavar="NAME", action="append", help=about)
    add_settings(one, Engine)
    add_output(one, ("text", "json", "html", "markdown"))
    add_reading_outside(one)


def _add_attack(one: Parser) -> None:
    one.add_argument("release", metavar="TABLE|POLICY", help=f"the released table ({TABLE}), or a policy that names it")
    about = "the policy file (TOML) that describes the table, and names adversaries"
    one.add_argument("--policy", metavar="POLICY", help=about)
    add_table(one)
    one.add_argument("--no-remedies", action="store_true", help="tell whom they find only, which is faster")
    add_setting(one, ReportFiles, "audience")
    add_format(one, ("text", "json"))
    add_language(one)
    one.set_defaults(show_small_classes=False)
    one.usage = "petworks attack TABLE|POLICY [OPTION ...]"
    add_reading_outside(one)


def _add_explain(one: Parser) -> None:
    one.add_argument("source", metavar="POLICY|TABLE", help="a policy file (*.toml), or a released table")
    one.add_argument("measure", metavar="MEASURE", nargs="?", help="the measure to explain (default: all of them)")
    add_table(one)
    add_output(one, ("text", "json"))
    one.usage, one.more = "petworks explain POLICY|TABLE [MEASURE] [OPTION ...]", _add_parameters
    add_reading_outside(one)


def _add_verify(one: Parser) -> None:
    about = "a report in JSON or HTML, the record of a release that was made, a certificate, or a ledger"
    one.add_argument("report", metavar="REPORT", help=about)
    about = "reports that were handed over: check that their commitments open to the digests in REPORT, the record"
    one.add_argument("handed_over", metavar="HANDED", nargs="*", help=about)
    about = "where the files are that the report names; may be repeated (default: the folder of the report)"
    one.add_argument("--folder", dest="folders", metavar="FOLDER", action="append", help=about)
    about = (
        "the public key of whoever must have signed a certificate or an entry: its 44 characters, or a file with them"
    )
    one.add_argument("--signer", metavar="PUBLIC", help=about)
    about = "the head of a ledger as it was kept, so that its end is checked, too"
    one.add_argument("--head", metavar="N:SHA256", help=about)
    add_settings(one, Engine)
    add_language(one)
    add_reading_outside(one)


def _add_hierarchy(one: Parser) -> None:
    _add_table_of(one, "original")
    one.add_argument("column", metavar="COLUMN", help="the column whose values become more general")
    add_ways(one)
    about = "write the hierarchy to this file, or to a file in this folder; it can be edited, and is not overwritten"
    one.add_argument("-o", "--output", metavar="FILE", help=about)
    add_settings(one, Reading)
    add_language(one)
    one.usage = "petworks hierarchy TABLE COLUMN [OPTION ...]"


def _add_measures(one: Parser) -> None:
    one.add_argument("measure", metavar="MEASURE", nargs="?", help="the measure to describe")
    add_language(one)


def _add_templates(one: Parser) -> None:
    one.add_argument("template", metavar="TEMPLATE", nargs="?", help="the template to print")
    add_language(one)


def _add_key(one: Parser) -> None:
    one.add_argument("action", metavar="ACTION", choices=("new", "list"), help="new: make a key; list: list all keys")
    about = "what the new key is called: letters, digits, and - _ . behind the first character"
    one.add_argument("name", metavar="NAME", nargs="?", help=about)
    about = "the key signs (Ed25519); otherwise it makes pseudonyms"
    one.add_argument("--signing", action="store_true", help=about)
    add_language(one)


def _add_sign(one: Parser) -> None:
    one.add_argument("record", metavar="RECORD", help="the record of the release (JSON)")
    one.add_argument("--key", metavar="NAME", required=True, help="the key that signs (petworks key list names them)")
    about = "a report that is handed over with the release; may be repeated"
    one.add_argument("--report", dest="reports", metavar="FILE", action="append", default=[], help=about)
    about = "write the certificate to this file (default: certificate.json beside the record)"
    one.add_argument("-o", "--output", metavar="FILE", help=about)
    add_language(one)


def _add_release(one: Parser) -> None:
    _add_policy(one)
    one.add_argument("--to", metavar="WHOM", required=True, help="who may have the release: public, or a recipient")
    one.add_argument("--approved-by", metavar="NAME", help="who approved it")
    one.add_argument("--note", metavar="TEXT", help="what else should be remembered")
    one.add_argument("--despite", metavar="REASON", help="enter it although the check does not hold, with this reason")
    about = "sign the entry with this key (petworks key list names them)"
    one.add_argument("--sign", metavar="NAME", help=about)
    add_settings(one, Engine)
    add_language(one)
    add_reading_outside(one)


def _add_demo(one: Parser) -> None:
    one.add_argument("folder", metavar="FOLDER", nargs="?", default="petworks-demo", help="default: petworks-demo")
    add_language(one)


def _add_completion(one: Parser) -> None:
    one.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    one.add_argument("--columns", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)  # used by the script


def _add_parameters(one: Parser) -> None:
    """Add the parameters of all measures."""
    from PETWorks.cli.parameters import add_options

    add_options(one)


ADD_OPTIONS: dict[str, Callable[[Parser], None]] = {
    "evaluate": _add_evaluate,
    "check": _add_check,
    "anonymize": _add_anonymize,
    "compare": _add_compare,
    "attack": _add_attack,
    "explain": _add_explain,
    "verify": _add_verify,
    "init": _add_init,
    "inspect": _add_inspect,
    "app": add_serving,
    "hierarchy": _add_hierarchy,
    "measures": _add_measures,
    "templates": _add_templates,
    "key": _add_key,
    "sign": _add_sign,
    "release": _add_release,
    "demo": _add_demo,
    "completion": _add_completion,
}
