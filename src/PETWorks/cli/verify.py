"""``petworks verify``: repeat a report, and compare files, values and verdicts.

A recorded release is made again from its original.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

from PETWorks.cli import FAILS, HOLDS, NOT_EVALUATED
from PETWorks.cli.certificate import check_files, find_fingerprint, read_certificate, require_signer
from PETWorks.cli.commitments import combine_codes, is_page, open_reports, read_release_digest
from PETWorks.cli.errors import print_error
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_memory
from PETWorks.cli.output import print_answer, show_rows_read
from PETWorks.cli.repeat import (
    Document,
    Files,
    compute_path_digest,
    is_reproducible,
    is_stopped,
    read_report,
    remake_document,
    repeat_document,
    report_damage,
)
from PETWorks.errors import PETWorksError
from PETWorks.measure.registry import measures
from PETWorks.measure.steps import Name
from PETWorks.policy.ledger import Head, is_ledger, read_ledger, verify_ledger
from PETWorks.render.fill import escape_unprintable, fill
from PETWorks.render.typography import display_width, pad
from PETWorks.render.words import words
from PETWorks.shown import Exact, show_exactly
from PETWorks.user.signing import is_signed_by, read_public_key

MAX_LISTED_DIFFERENCES = 20  # maximum number of differences that are listed
CLOSE = 1e-12  # floats may differ by this share on another kind of computer; exact numbers may not
# not compared as figures
NOT_COMPARED = ("schema", "version", "sha256", "policy", "time_limit", "secret")
SHOWN_FIGURES = (
    *("value", "exact", "holds", "limit", "failing_classes", "failing_rows", "judged_classes", "judged_rows"),
    *("suppressed", "score", "loss", "bound", "proven"),
    *("evaluated", "by_goals", "by_bound", "open", "vectors", "decided"),
)
INNER = {"worst", "steps", "figures"}  # details that may contain values of a table
NOTHING: Any = object()  # stands for a figure that one side lacks


class File(NamedTuple):
    """A file that the report names: its kind, where it was found, and "same", "differs" or "" (no digest)."""

    what: str
    name: str
    state: str


class Difference(NamedTuple):
    """A figure of the report that is different when computed again: where it stands, its old and its new value."""

    place: tuple[str, ...]
    before: Any
    now: Any

    @property
    def is_shown(self) -> bool:
        """True if both are numbers or verdicts; anything else could be a value of a table."""
        return (self.place[-1] in SHOWN_FIGURES or self.place[-2:-1] == ("levels",)) and INNER.isdisjoint(self.place)

    @property
    def label(self) -> str:
        """The place in words: measure, part and figure."""
        return ", ".join(one for one in self.place if one not in ("", "results", "parts"))


def run(options: argparse.Namespace) -> int:
    """Compare the report with a repetition; return the exit code."""
    options.lang = choose_language(options)
    path = Path(options.report)
    folders = [Path(one) for one in options.folders or [path.parent]]
    if is_ledger(path):
        return _verify_ledger(path, options)
    if (certificate := read_certificate(path)) is not None:
        with report_damage(path.name):
            return _verify_certificate(certificate, folders, options)
    if is_page(path):
        return _verify_page(path, folders, options)
    report = read_report(path)
    with report_damage(path.name):
        lines, opened = open_reports(report, options.handed_over, options.lang)
        for line in lines:
            print_answer(line)
        return combine_codes(
            opened, _verify(report, Files(report["record"], folders, read_outside=options.read_outside), options)
        )


def _verify_ledger(path: Path, options: argparse.Namespace) -> int:
    """Check the chain of a ledger, its end by a head, its signatures, and every file that it pins."""
    word = words(options.lang)
    head = Head.read(options.head) if options.head else None
    found = verify_ledger(path, head, [options.signer] if options.signer else [])
    if found.state != "ok":
        told = {"line": show_exactly({"line": found.line})["line"]}
        print_answer(fill(word.command[f"ledger_{found.state}"], told, word))
        return FAILS
    ledger = read_ledger(path)
    if wrong := ledger.check_files():
        figures = {**show_exactly({"line": wrong[0]}), "file": Name(wrong[1].name)}
        print_answer(fill(word.command["ledger_file"], figures, word))
        return FAILS
    figures = {**show_exactly({"entries": found.line}), "head": Name(str(ledger.head))}
    print_answer(fill(word.command["ledger_whole"], figures, word))
    if head is None:
        print_answer(word.command["ledger_unchecked"])
    return HOLDS


def _verify_certificate(certificate: Document, folders: Sequence[Path], options: argparse.Namespace) -> int:
    """Check the signature of a certificate, and the files that it names; nothing else is needed."""
    signer = read_public_key(require_signer(options.signer))
    word = words(options.lang)
    fingerprint = {"fingerprint": Name(find_fingerprint(certificate) or "-")}
    if not is_signed_by(certificate, signer):
        print_answer(fill(word.command["verify_signed_not"], fingerprint, word))
        return FAILS
    files = [
        File(one.what, str(one.path), "same" if one.is_same else "differs") for one in check_files(certificate, folders)
    ]
    print_answer("\n".join(_write_files(files, options.lang)))
    print_answer(fill(word.command["verify_signed"], fingerprint, word))
    says = {True: "holds", False: "fails", None: "untold"}[certificate["holds"]]
    print_answer(word.command[f"verify_signed_{says}"])
    return FAILS if any(one.state == "differs" for one in files) else HOLDS


def _verify_page(path: Path, folders: Sequence[Path], options: argparse.Namespace) -> int:
    """Find the release whose SHA-256 an HTML page states, and compare them."""
    stated = read_release_digest(path)
    word = words(options.lang).command
    found = next((file for file in Files({}, folders).list_all() if compute_path_digest(file) == stated), None)
    if found is None:
        print_answer(word["verify_page_lacks"])
        return FAILS
    print_answer("\n".join(_write_files([File("release", str(found), "same")], options.lang)))
    print_answer(word["verify_page_found"])
    return HOLDS


def _verify(report: Document, files: Files, options: argparse.Namespace) -> int:
    files.require()
    try:
        with show_rows_read(options.lang):
            repeated = remake_document if report.get("making") else repeat_document
            again = repeated(report, files, collect_memory(options))
    except PETWorksError as error:
        compared = [
            _compare_file(what, files.name(named), named["sha256"], digest) for what, named, digest in files.digests()
        ]
        print_answer("\n".join(_write_files(compared, options.lang)))
        error.listed = ""  # values of the table
        print_error(error, options.arguments)
        return FAILS if any(one.state == "differs" for one in compared) else NOT_EVALUATED
    compared = list(_compare_files(report, files, Files(again["record"], ())))
    if "premises" not in report:  # it is of an earlier version
        again = {key: one for key, one in again.items() if key not in ("premises", "accept", "adversaries")}
    other = report.get("version") != again["version"]
    open_reasons = _open_reasons(report, again)
    known = [
        one | {"skipped": {name: why for name, why in one["skipped"].items() if name not in open_reasons}}
        for one in (report, again)
    ]
    before, now = [_merge_decided(one) if other else one for one in known]
    found = list(find_differences(before, now))
    print_answer("\n".join(_write_comparison(report, again, compared, found, options.lang)))
    if open_reasons:
        names = {"measures": [Name(name) for name in open_reasons]}
        print_answer(fill(words(options.lang).command["verify_skipped"], names, words(options.lang)))
    unknown = sum(not one.state for one in compared)
    if unknown:
        print_answer(
            fill(words(options.lang).command["verify_unrecognised"], {"files": Exact(unknown)}, words(options.lang))
        )
    if found or any(one.state == "differs" for one in compared):
        return FAILS
    return NOT_EVALUATED if open_reasons or unknown else HOLDS


def _merge_decided(document: Document) -> Document:
    """Return a record with only the number of decided level vectors: versions may decide them in different ways."""
    if not (document.get("making") and document["making"]["proof"]):
        return document
    proof = dict(document["making"]["proof"])
    decided = sum(proof.pop(name) for name in ("evaluated", "by_goals", "by_bound"))
    return document | {"making": document["making"] | {"proof": proof | {"decided": decided}}}


def _open_reasons(report: Document, again: Document) -> list[str]:
    """Return the measures that failed then, and now fail for a different reason.

    Without a policy, the report lacks their parameters and the memory limit, so the reason cannot be compared.
    """
    reasons = {} if report["record"]["policy"] or report.get("making") else report["skipped"]
    failed = {name for name, why in reasons.items() if why["kind"] in ("error", "too_large")}
    return [
        name for name in reasons if name in failed & measures().keys() and reasons[name] != again["skipped"].get(name)
    ]


def _compare_file(what: str, name: str, before: str | None, now: str | None) -> File:
    return File(what, name, "" if before is None else "same" if before == now else "differs")


def _compare_files(report: Document, before: Files, now: Files) -> Iterator[File]:
    """Compare the files that were read, and the release that was made again with the recorded one."""
    if report.get("making"):
        recorded, again = before.release, now.release
        path = before.find_tables()["release"]
        yield _compare_file("release", str(path), recorded["sha256"], compute_path_digest(path))
        if is_reproducible(report):
            yield _compare_file("again", str(path), recorded["sha256"], again["sha256"])
        before, now = before.select_inputs(), now.select_inputs()
    digests = {(what, one.get("column")): one["sha256"] for what, one in now.named_files()}
    for what, one in before.named_files():
        yield _compare_file(what, before.name(one), one["sha256"], digests.pop((what, one.get("column")), None))
    yield from (File(what, column or what, "differs") for what, column in digests)  # the report lacks them


def find_differences(before: Any, now: Any, place: tuple[str, ...] = ()) -> Iterator[Difference]:  # noqa: ANN401 (JSON)
    """Yield the figures that differ; floats may differ in their last digits."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in [*before, *(key for key in now if key not in before)]:
            if key not in NOT_COMPARED:
                yield from find_differences(before.get(key, NOTHING), now.get(key, NOTHING), (*place, str(key)))
    elif isinstance(before, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip_longest(before, now, fillvalue=NOTHING), 1):
            yield from find_differences(one, other, (*place, _name_entry(one, other, number)))
    elif isinstance(before, float) and isinstance(now, float):
        if not isclose(before, now, rel_tol=CLOSE):
            yield Difference(place, before, now)
    elif type(before) is not type(now) or before != now:
        yield Difference(place, before, now)


def _name_entry(one: Any, other: Any, number: int) -> str:  # noqa: ANN401
    """Return the name of a measure, or else the number of an entry."""
    named = next((each for each in (one, other) if isinstance(each, dict) and "measure" in each), None)
    return str(named["measure"]) if named else str(number)


def _write_comparison(
    report: Document, again: Document, files: list[File], found: list[Difference], language: str
) -> Iterator[str]:
    word = words(language)
    yield from _write_files(files, language)
    if report.get("version") != again["version"]:
        known = "verify_version" if report.get("version") else "verify_no_version"
        versions = {"before": Name(report.get("version")), "now": Name(again["version"])}
        yield fill(word.command[known], versions, word)
    if report.get("making") and not is_reproducible(report):
        yield word.command["verify_shuffled"]
    if report.get("making") and is_stopped(report):
        yield word.command["verify_stopped"]
    lines = list(dict.fromkeys(_write_figures(found, language)))
    yield from (f"  {line}" for line in lines[:MAX_LISTED_DIFFERENCES])
    if len(lines) > MAX_LISTED_DIFFERENCES:
        yield "  " + fill(word.command["verify_more"], {"more": Exact(len(lines) - MAX_LISTED_DIFFERENCES)}, word)
    differ = sum(one.state == "differs" for one in files)
    verdicts = sum(one["holds"] is not None for one in again["requirements"])
    counts = {"files": sum(bool(one.state) for one in files), "results": len(again["results"]), "verdicts": verdicts}
    if differ:
        kind = "verify_differs_all" if found else "verify_differs_files"
    else:
        kind = "verify_differs_figures" if found else "verify_same_all"
    yield fill(word.command[kind], show_exactly(counts | {"differ": differ, "figures": _list_figures(found)}), word)


def _list_figures(found: list[Difference]) -> int:
    """Yield each figure of the report once, even if it stands in several places."""
    shown = {(one.label, _write_figure(one.before), _write_figure(one.now)) for one in found if one.is_shown}
    return len(shown) + sum(not one.is_shown for one in found)


def _write_figures(found: list[Difference], language: str) -> Iterator[str]:
    """Yield a line for each value and verdict that differs, and one for all other figures of a measure."""
    word, details = words(language), Counter[str]()
    for one in found:
        if one.is_shown:
            figures = {"place": Name(one.label), "before": _write_figure(one.before), "now": _write_figure(one.now)}
            yield fill(word.command["verify_figure"], figures, word)
        else:
            details[", ".join(one.place[:2]).removeprefix("results, ")] += 1
    for place, many in details.items():
        yield fill(word.command["verify_details"], {"place": Name(place), "details": Exact(many)}, word)


def _write_figure(figure: object) -> Name:
    if figure is NOTHING or figure is None:
        return Name("-")
    return Name(figure if isinstance(figure, str) else json.dumps(figure))


def _write_files(files: list[File], language: str) -> Iterator[str]:
    word: Mapping[str, str] = words(language).command
    states = {"same": word["verify_same"], "differs": word["verify_differs"], "": word["verify_no_digest"]}
    rows = [(states[one.state], word[f"verify_{one.what}"], escape_unprintable(one.name)) for one in files]
    widths = [max(display_width(row[place]) for row in rows) for place in (0, 1)]
    for state, what, name in rows:
        yield f"{pad(state, widths[0])}  {pad(what, widths[1])}  {name}"
