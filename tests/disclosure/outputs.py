"""What each audience is shown of each table, in each format: ``python tests/disclosure/outputs.py`` renews the files.

Each file of `expected` holds what the command prints, on both streams, of one table for one audience. What depends on
the machine, the clock or a version is replaced. A page is kept as its English text, one line for each block; a drawing
is kept as its digest. Documents are kept as one line for each value that tells something.

`shown.json` has every figure that an output may show. Where a change lets an output show another, the test
fails; ``--accept`` adds it, once somebody has decided that it may be shown.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.metadata import version
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from disclosure.shown_tables import COMMANDS, TABLES
from support.process import petworks

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
SHOWN = HERE / "shown.json"
FORMATS = ("text", "json", "html", "markdown", "junit")
AUDIENCES = {
    "public": ("--audience", "public"),
    "internal": ("--audience", "internal"),
    "analyst": ("--audience", "internal", "--show-small-classes"),
}
MACHINE = (
    (re.escape(version("petworks")), "(version)"),
    (r"Python \d+(\.\d+)+", "Python (version)"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)", "(time)"),
    (r'("?commitment"?:? "?)[0-9a-f]{64}', r"\1(random)"),
)
NOTHING = re.compile(r'^[\]\[{}, ]*$|: (null|\[\]|\{\}|""|false|0),?$')  # lines of documents that tell nothing
FIGURE = re.compile(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?(?:e-?\d+)?(?:/\d+)?%?")
DIGEST = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{64}|drawing [0-9a-f]{8})(?![0-9a-f])")
BLOCKS = {
    *("p", "h1", "h2", "h3", "h4", "li", "tr", "section", "figure", "figcaption", "header", "footer", "summary", "dt"),
    *("dd", "table", "div", "details", "caption", "aside"),
}
LEFT_OUT = {"style", "script", "head"}
EMPTY = {"path", "rect", "circle", "use", "line", "br", "meta", "link", "input", "img", "hr", "col", "stop", "polygon"}


class PageText(HTMLParser):
    """The English text of a page, one line for each block, with the digest of each drawing."""

    def __init__(self) -> None:
        super().__init__()
        self.lines, self.hidden, self.drawing = [""], 0, list[str]()
        self.depth = 0  # of elements within a drawing

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "svg" or self.depth:
            self.depth += tag not in EMPTY or tag == "svg"
            self.drawing.append(f"{tag} {sorted((name, value or '') for name, value in attributes)}")
        elif self.hidden or tag in LEFT_OUT or dict(attributes).get("lang") == "zh-Hant-TW":
            self.hidden += tag not in EMPTY
        elif tag in BLOCKS:
            self.lines.append("")
        elif tag in ("td", "th"):
            self.lines[-1] += " | "

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if self.depth:
            self.drawing.append(f"{tag} {sorted((name, value or '') for name, value in attributes)}")

    def handle_endtag(self, tag: str) -> None:
        if self.depth:
            self.depth -= tag not in EMPTY
            if not self.depth:
                digest = hashlib.sha256("\n".join(self.drawing).encode()).hexdigest()[:8]
                self.drawing.clear()
                self.lines[-1] += "" if self.hidden else f" (drawing {digest}) "
        elif self.hidden:
            self.hidden -= 1
        elif tag in BLOCKS:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.drawing.append(data)
        elif not self.hidden:
            self.lines[-1] += data

    @classmethod
    def of(cls, page: str) -> str:
        """Return the text of a page."""
        reader = cls()
        reader.feed(page)
        lines = (" ".join(line.split()) for line in reader.lines)
        return "\n".join(line for line in lines if line) + "\n"


def hide_machine(text: str) -> str:
    """Replace what depends on the machine, the clock or the version."""
    for pattern, word in MACHINE:
        text = re.sub(pattern, word, text)
    return text


def write_outputs(folder: Path, table: str, audience: str) -> Iterator[str]:
    """Yield what the command prints in each format, and on standard error."""
    command = COMMANDS.get(table, ("check", "policy.toml"))
    for form in FORMATS[: 4 if command[0] == "compare" else None]:
        run = petworks(*command, "--format", form, *AUDIENCES[audience], cwd=folder)
        told = PageText.of(run.stdout) if form == "html" else run.stdout
        if form == "json":
            told = "\n".join(line for line in map(str.strip, told.splitlines()) if not NOTHING.search(line)) + "\n"
        yield f"===== {form}, exit code {run.returncode}\n{told}"
        if run.stderr:
            yield f"===== {form}, standard error\n{run.stderr}"


def build_output(table: str, audience: str) -> str:
    """Return all outputs of a table for an audience."""
    with TemporaryDirectory() as folder:
        TABLES[table](Path(folder))
        policy = Path(folder, "policy.toml")
        policy.write_text(re.sub(r"(?ms)^\[report\].*", "", policy.read_text("utf-8")), encoding="utf-8")
        return hide_machine("".join(write_outputs(Path(folder), table, audience)))


def list_figures(output: str) -> set[str]:
    """Return the figures in an output, apart from digests, without commas."""
    return {one.replace(",", "") for one in FIGURE.findall(DIGEST.sub("", output))}


def expected_path(table: str, audience: str) -> Path:
    """Return the file with the outputs of a table for an audience."""
    return EXPECTED / f"{table}.{audience}.txt"


def read_shown() -> dict[str, list[str]]:
    """Return the figures that each output may show, by the name of its file."""
    return json.loads(SHOWN.read_text("utf-8")) if SHOWN.exists() else {}


def renew(tables: list[str], *, accept: bool) -> None:
    """Write the files of some tables; print the figures that were not shown before, or accept them."""
    shown = read_shown()
    for path, table, reader in ((expected_path(*one), *one) for one in product(tables, AUDIENCES)):
        output = build_output(table, reader)
        path.write_text(output, encoding="utf-8")
        figures, before = list_figures(output), set(shown.get(path.stem, []))
        if accept:
            shown[path.stem] = sorted(figures | before)
        elif more := sorted(figures - before):
            sys.stdout.write(f"{path.stem} shows what it did not show before: {', '.join(more)}\n")
    lines = [f"{json.dumps(name)}: {json.dumps(figures)}" for name, figures in sorted(shown.items())]
    SHOWN.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    renew([one for one in sys.argv[1:] if one != "--accept"] or [*TABLES], accept="--accept" in sys.argv)
