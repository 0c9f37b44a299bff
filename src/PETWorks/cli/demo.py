"""``petworks demo``: write a release and a policy to a folder, judge the release and write its report."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from PETWorks.cli import HOLDS
from PETWorks.cli.languages import choose_language
from PETWorks.cli.output import print_answer, show_rows_read
from PETWorks.demo import refuse_others, write_folder
from PETWorks.policy.policy import Policy
from PETWorks.render.fill import fill
from PETWorks.render.lines import LineWriter
from PETWorks.render.typography import WIDTH, display_width, pad
from PETWorks.render.words import Vocabulary, words

REMARKS = 48  # the terminal column where remarks start


def run(options: argparse.Namespace) -> int:
    """Run the demonstration; its folder stays, for the user to continue with."""
    language, folder = choose_language(options), Path(options.folder)
    word = words(language)
    refuse_others(folder)
    with show_rows_read(language):
        size = write_folder(folder, language)
        policy = Policy(folder / "policy.toml")
        evaluation = policy.check()
        named = shlex.quote(str(policy.path))
        check = f"petworks check {named}"
        for path in policy.report.all_files:
            evaluation.to_html(path, language=language, command=check)
    data = fill(word.command["cli_demo_data"], {"size": f"{size / 1e6:.1f}"}, word)
    lines = [
        ("wrote", f"{folder}/", data),
        ("ran", check, LineWriter(language).write_answer(evaluation)),
        ("wrote", str(folder / "report.html"), word.command["cli_demo_open"]),
        ("next", f"petworks explain {named} k-anonymity", ""),
        ("next", f"petworks anonymize {named}", word.command["cli_demo_make"]),
    ]
    print_answer("\n".join(_write_line(*line, word) for line in lines))
    return HOLDS


def _write_line(kind: str, text: str, remark: str, word: Vocabulary) -> str:
    """Write a step and a remark: in a column of its own, if there is room."""
    label = max(display_width(word.command[f"cli_demo_{one}"]) for one in ("wrote", "ran", "next"))
    line = f"{pad(word.command[f'cli_demo_{kind}'], label)} {text}"
    for placed in (f"{pad(line, REMARKS - 2)}  {remark}".rstrip(), f"{line}  {remark}"):
        if display_width(placed) <= WIDTH:
            return placed
    return f"{line}\n{' ' * label} {remark}".rstrip()
