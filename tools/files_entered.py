"""Print which files of the package a command enters: their code runs, be it only because they are imported.

``python tools/files_entered.py check petworks-demo/policy.toml`` runs that command in this process, without what it
prints. It prints the files, those first of which no function is called, and both counts. Processes that a command
starts are not seen.
"""

from __future__ import annotations

import sys
import threading
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "PETWorks"
DEFINITIONS = {"<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}  # run by an import alone


def trace_command(arguments: list[str]) -> tuple[set[CodeType], int]:
    """Run a command; return all code that runs for it, and its exit code."""
    codes: set[CodeType] = set()
    exit_code = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.path.insert(0, str(PACKAGE.parent))
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
            from PETWorks.cli import main

            exit_code = main(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return codes, exit_code


def find_files(codes: set[CodeType]) -> dict[str, bool]:
    """Find the files that were entered; True: a function of the file was called, not only what an import runs."""
    files: dict[str, bool] = {}
    for code in codes:
        path = Path(code.co_filename)
        if path.is_relative_to(PACKAGE):
            name = str(path.relative_to(PACKAGE))
            files[name] = files.get(name, False) or _is_function(code)
    return files


def _is_function(code: CodeType) -> bool:
    """Return True for code of a function; that of a module or a class has no local variables of its own."""
    return code.co_name not in DEFINITIONS and bool(code.co_flags & 0x1)


def main() -> None:
    """Print the files that a command enters."""
    codes, exit_code = trace_command(sys.argv[1:])
    files = find_files(codes)
    imported = sorted(name for name, called in files.items() if not called)
    called = sorted(name for name, called in files.items() if called)
    print("Imported only:", *imported, "", "A function is called:", *called, "", sep="\n")
    print(f"{len(files)} files entered: a function is called in {len(called)}, {len(imported)} are imported only")
    print(f"The command ended with exit code {exit_code}.")


if __name__ == "__main__":
    main()
