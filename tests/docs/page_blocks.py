"""The code blocks of a page, run in order as a reader would: files are written, Python and commands run.

- A block with a ``title`` is a file of that name; ``title="output"`` is what the Python block above it prints.
- ``console`` blocks hold commands (``$ petworks …``) and what they print; ``$ echo $?`` shows their exit code.
- A line ``...`` stands for any number of lines.

``python tests/docs/page_blocks.py [PAGE …]`` writes the present output into these pages, or into all without names.
"""

from __future__ import annotations

import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from unittest.mock import patch

import yaml

from support.process import main

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LOCALE = "zh-TW"
FENCE = re.compile(r"^( *)```\s*(\w*)(.*)$")
OUTPUT = ("output", "輸出")
ANY = "..."
NOT_RUN = ("pip", "make", "py", "source", "git", "jupyter", "spark-submit")  # they change more than the folder
SPOKEN = {"PETWORKS_LANG": "", "LANGUAGE": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": "C.UTF-8"}
PLAIN = {"PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1", "PETWORKS_DEBUG": "", "COLUMNS": "80", **SPOKEN}


@dataclass
class Block:
    kind: str
    title: str
    line: int  # of its first line of text
    lines: list[str] = field(default_factory=list)
    indent: str = ""

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


@dataclass
class Command:
    words: str
    first: int  # place of what it prints within its block
    printed: list[str] = field(default_factory=list)
    code: int = 0


def pages(locale: str = "") -> list[Path]:
    """Return the pages of a language that are not generated."""
    every = sorted(path for path in DOCS.rglob("*.md") if not path.is_relative_to(DOCS / "reference"))
    return [path for path in every if path.name.endswith(f".{LOCALE}.md") == bool(locale)]


def blocks(text: str) -> list[Block]:
    """Find the code blocks of a page."""
    found: list[Block] = []
    current: Block | None = None
    for number, line in enumerate(text.splitlines()):
        if current is not None:
            if line.strip() == "```" and line.startswith(current.indent):
                current = None
            else:
                current.lines.append(line.removeprefix(current.indent))
        elif fence := FENCE.match(line):
            title = re.search(r'title="([^"]*)"', fence[3])
            current = Block(fence[2], title[1] if title else "", number + 1, indent=fence[1])
            found.append(current)
    return found


def commands(block: Block) -> list[Command]:
    """Find the commands of a console block, what each prints, and its exit code."""
    found: list[Command] = []
    number = 0
    while number < len(block.lines):
        line = block.lines[number]
        number += 1
        if not line.startswith("$ "):
            found[-1].printed.append(line)
            continue
        words = line[2:]
        while words.endswith("\\"):
            words = words[:-1] + block.lines[number].strip()
            number += 1
        if words == "echo $?":
            found[-1].code = int(block.lines[number])
            number += 1
        else:
            found.append(Command(words, number))
    return found


class Reader:
    """A reader who does what a page says, in a folder."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.printed = ""

    def follow(self) -> Iterator[tuple[Block, int, list[str], list[str]]]:
        """Run each block; yield the output that the page shows, the real output, and its place."""
        for block in blocks(self.page.read_text(encoding="utf-8")):
            match block.kind:
                case "text" if block.title in OUTPUT:
                    yield block, 0, block.lines, self.printed.rstrip("\n").splitlines()
                case "console":
                    for command in commands(block):
                        if came := self.command(command, f"{self.page.name}, line {block.line + command.first}"):
                            yield block, command.first, command.printed, came
                case "python" if not block.title:
                    self.python(block)
                case kind:
                    if kind in ("toml", "yaml"):
                        _ = tomllib.loads(block.text) if kind == "toml" else yaml.safe_load(block.text)
                    if block.title and block.title not in OUTPUT:
                        path = self.folder / block.title
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_text(block.text, encoding="utf-8")

    def python(self, block: Block) -> None:
        with chdir(self.folder), redirect_stdout(io.StringIO()) as out:
            place = "\n" * block.line + block.text  # so that a traceback names the line of the page
            exec(compile(place, str(self.page), "exec", dont_inherit=True), self.names)  # noqa: S102
        self.printed = out.getvalue()

    def command(self, command: Command, where: str) -> list[str] | None:
        name, *arguments = shlex.split(command.words, comments=True)
        if name in NOT_RUN or arguments[:2] == ["-m", "venv"]:
            return None
        assert name in ("petworks", "python", "head", "cat"), f"{where}: {name} is not run"
        if self.page.name == f"spark.{LOCALE}.md":  # the English page starts Spark; this one has other words only
            if command.words in (known := printed_by(self.page.with_name("spark.md"))):
                return known[command.words]
            arguments = without_spark(arguments)
        here = name == "petworks" and "spark" not in arguments  # a process has one Spark session at most
        code, printed = petworks(arguments, self.folder) if here else process(name, arguments, self.folder)
        assert code == command.code, f"{where}: exit code {code}\n{printed}"
        return printed.rstrip("\n").splitlines()


def printed_by(page: Path) -> dict[str, list[str]]:
    """Return what a page shows below each of its commands."""
    found = [block for block in blocks(page.read_text(encoding="utf-8")) if block.kind == "console"]
    return {command.words: command.printed for block in found for command in commands(block)}


def without_spark(arguments: list[str]) -> list[str]:
    """Return the arguments of the command that reads the same tables on this machine, and prints the same."""
    pairs = pairwise(["", *arguments])
    return [word for before, word in pairs if not {before, word} & {"--engine", "--master"}]


def petworks(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Run the command in this process, and return its exit code and all that it prints."""
    shown = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with chdir(folder), patch.dict(os.environ, PLAIN), redirect_stdout(shown), redirect_stderr(shown):
        code = main(arguments)
    return code, shown.buffer.getvalue().decode()


def process(name: str, arguments: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in a process of its own, and return its exit code and all that it prints."""
    started = {"petworks": [sys.executable, "-m", "PETWorks"], "python": [sys.executable]}.get(name, [name])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
    settings = {"SPARK_CONF_DIR": str(Path(__file__).parent), **os.environ, **PLAIN}
    done = subprocess.run([*started, *arguments], cwd=folder, env=settings, check=False, **pipes)
    return done.returncode, done.stdout


def agrees(shown: list[str], came: list[str]) -> bool:
    """Return True if a page shows what was printed, or shows nothing."""
    if not shown:
        return True
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == ANY else re.escape(line.rstrip()) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in came)) is not None


def renewed(shown: list[str], came: list[str]) -> list[str]:
    """Return what was printed, with the same omissions as the page if they can be located."""
    chunks = [list(lines) for is_any, lines in groupby(shown, lambda line: line.strip() == ANY) if not is_any]
    kept, start = list[str](), 0
    for chunk in chunks:
        near = difflib.get_close_matches(chunk[0], came[start:], n=1, cutoff=0.5)
        first = came.index(near[0], start) if near else start
        last = chunk is chunks[-1] and shown[-1].strip() != ANY
        end = len(came) if last else first + len(chunk)
        kept += [*([ANY] if first > start or (not kept and shown[0].strip() == ANY) else []), *came[first:end]]
        start = end
    kept += [ANY] if start < len(came) else []
    return kept if ANY in map(str.strip, shown) and agrees(kept, came) else came


def rewrite(page: Path, folder: Path) -> None:
    """Write the present output into a page."""
    lines = page.read_text(encoding="utf-8").splitlines()
    changes = []
    for block, first, shown, came in Reader(page, folder).follow():
        if shown and not agrees(shown, came):
            start = block.line + first
            lines_now = [block.indent + line if line else line for line in renewed(shown, came)]
            changes.append((start, start + len(shown), lines_now))
    for start, end, came in reversed(changes):
        lines[start:end] = came
    if changes:
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{page.relative_to(ROOT)}: {len(changes)} outputs")  # noqa: T201


def demo_folder(folder: Path, locale: str = "") -> Path:
    """Write the files that most pages use."""
    lang = LOCALE.replace("-", "_") if locale else "en"
    code, printed = petworks(["demo", "petworks-demo", "--lang", lang], folder)
    assert code == 0, printed
    return folder


if __name__ == "__main__":
    for chosen in [Path(one).resolve() for one in sys.argv[1:]] or [*pages(), *pages(LOCALE)]:
        with tempfile.TemporaryDirectory() as made:
            demo = demo_folder(Path(made), LOCALE if chosen.name.endswith(f".{LOCALE}.md") else "")
            rewrite(chosen, demo)
            shutil.rmtree(demo / "petworks-demo", ignore_errors=True)
