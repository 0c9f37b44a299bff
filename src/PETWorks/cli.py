"""The command line: ``petworks``, or ``python -m PETWorks``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from PETWorks.errors import PETWorksError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 if it could be done, 2 if not."""
    options = _parser().parse_args(arguments)
    try:
        if options.version:
            import PETWorks

            print(f"petworks {PETWorks.__version__}")
        elif options.command == "demo":
            from PETWorks import demo

            print(demo.text(options.lang))
        else:
            _parser().print_help()
    except PETWorksError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _language(given: str) -> str:
    """Read a language as it may be written: zh_TW, zh-TW, ZH-tw."""
    known = {"en": "en", "zh_tw": "zh_TW", "zh": "zh_TW"}
    if (folded := given.casefold().replace("-", "_")) not in known:
        raise argparse.ArgumentTypeError(f"{given!r} is not known; en and zh_TW are")
    return known[folded]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="petworks",
        description="How well are these people hidden, and how much is the data still worth?",
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    demo = commands.add_parser("demo", help="measure the Adult release that comes with PETWorks")
    demo.add_argument("--lang", type=_language, default="en", help="language of the answer: en or zh_TW (default: en)")
    return parser
