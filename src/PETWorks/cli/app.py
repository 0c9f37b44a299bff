"""``petworks app``: the application in the browser, from a raw table to a release that holds."""

from __future__ import annotations

import argparse
import re
from contextlib import ExitStack
from pathlib import Path

from PETWorks.cli import HOLDS
from PETWorks.cli.languages import choose_language
from PETWorks.cli.options import collect_memory
from PETWorks.cli.output import print_answer, print_note
from PETWorks.errors import MissingFileError, ParameterError
from PETWorks.render.fill import fill
from PETWorks.render.words import words

ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]+)?")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def run(options: argparse.Namespace) -> int:
    """Serve the application until it is stopped, or nobody has used it for an hour."""
    _check_address(options)
    try:
        from PETWorks.app.files import FileBrowser, RunningApplication
        from PETWorks.app.open_project import is_folder_to_choose_in, open_argument
        from PETWorks.app.serve import AppServer, open_browser
    except ModuleNotFoundError as error:
        hint = 'install it with: pip install "petworks[app]"'
        raise ParameterError(f"the application needs the package {error.name}", hint=hint) from error
    language = choose_language(options)
    word = words(language).command
    named = Path(options.what or "").absolute()
    root = _find_root(options, named if not options.what or is_folder_to_choose_in(named) else named.parent)
    running = RunningApplication(FileBrowser(root), language, collect_memory(options))
    open_argument(running, options.what)
    served = AppServer(running, options.host, options.port, options.behind_proxy or "", print_answer)
    print_answer(served.url)
    print_note(word["cli_app_started"])
    if options.behind_proxy:
        print_note(fill(word["cli_app_proxy"], {"port": f"{served.port}"}, words(language)))
    with ExitStack() as opened:
        rested = served.run(lambda: None if options.no_browser else opened.enter_context(open_browser(served.url)))
    print_note(word["cli_app_idle" if rested else "cli_app_ended"])
    return HOLDS


def _find_root(options: argparse.Namespace, default: Path) -> Path:
    """Return the folder below which files can be opened; raise an error if it does not exist."""
    root = Path(options.root) if options.root else default
    if not root.is_dir():
        raise MissingFileError("there is no such folder", where=str(options.root or root))
    return root


def _check_address(options: argparse.Namespace) -> None:
    """Raise an error for an address that other machines can reach, unless it is behind a proxy."""
    if not 0 <= options.port < 2**16:
        raise ParameterError(f"--port cannot be {options.port}", hint="0 (a free one) to 65535")
    public = options.behind_proxy
    if public and not ORIGIN.fullmatch(public):
        hint = "give the address that the users' browsers show, without a path: https://petworks.example.org"
        raise ParameterError(f"--behind-proxy cannot be {public!r}", hint=hint)
    if options.host not in LOOPBACK and not public:
        hint = (
            "whoever reaches the port reaches the tables; leave out --host, or put a proxy before it that encrypts and"
            " authenticates users, and name its address: --behind-proxy https://petworks.example.org"
        )
        raise ParameterError(f"--host {options.host} would open the application to other machines", hint=hint)
