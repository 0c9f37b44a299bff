"""``petworks sign``: write and sign the certificate of a release, which may be handed over without the record."""

from __future__ import annotations

import argparse
from pathlib import Path

from PETWorks.cli import HOLDS
from PETWorks.cli.certificate import build_certificate
from PETWorks.cli.languages import choose_language
from PETWorks.cli.output import print_answer, print_note
from PETWorks.cli.repeat import read_report, report_damage
from PETWorks.errors import OutputError
from PETWorks.measure.steps import Name
from PETWorks.render.atomic_write import resolve_path, write_whole
from PETWorks.render.fill import fill
from PETWorks.render.words import words
from PETWorks.shown import show_exactly
from PETWorks.user.keys import KeyKind, read_key
from PETWorks.user.signing import write_canonical


def run(options: argparse.Namespace) -> int:
    """Write the certificate of a record; return the exit code."""
    word = words(choose_language(options))
    path, reports = Path(options.record), [Path(one) for one in options.reports]
    target = Path(options.output) if options.output else path.with_name("certificate.json")
    if resolve_path(target) in {resolve_path(one) for one in (path, *reports)}:
        hint = "choose another name for the certificate"
        raise OutputError("this file is an input, and would be overwritten", where=str(target), hint=hint)
    key = read_key(options.key, KeyKind.SIGNING)
    record = read_report(path)
    with report_damage(path.name):
        certificate = build_certificate(record, reports, key)
    write_whole(target, write_canonical(certificate).decode())
    counts = show_exactly({"files": len(certificate["files"]), "reports": len(reports)})
    names = {"name": Name(key.name), "fingerprint": Name(key.fingerprint)}
    print_answer(fill(word.command["sign_signed"], {**counts, **names}, word))
    print_note(fill(word.command["cli_wrote"], {"file": Name(target)}, word))
    return HOLDS
