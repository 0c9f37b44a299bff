"""Mutation testing: change the code in one place at a time, and see whether a test fails.

``python tools/mutants.py exact/limit.py counting`` tries all mutants of a module and of a room, and prints those that
survive; ``exact/limit.py:76`` tries those of one line. A survivor shows something that no test looks at: add the law
that it breaks to the tests, or delete the code if nothing needs it. Some do the same as the code, but slower, say.

A first run, without mutants, finds out which tests execute which lines. Each mutant is then imported in a fork of this
process, and the tests that execute its lines run there, the fastest first. Tests do not see it in processes they start.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from itertools import islice
from pathlib import Path
from time import process_time
from types import CodeType, FrameType
from typing import Any

import hypothesis
import pytest
from hypothesis.internal.conjecture import engine

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "PETWorks"
PYTEST = ["-q", "-x", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
MEMORY = 8 * 2**30  # bytes of memory that a mutant may use
SECONDS = 5  # of computing that a mutant may use, in addition to twice what its tests use in the first run

SWAPS = (
    "Lt→LtE Lt→GtE LtE→Lt LtE→Gt Gt→GtE Gt→LtE GtE→Gt GtE→Lt Eq→NotEq NotEq→Eq Is→IsNot IsNot→Is In→NotIn NotIn→In "
    "And→Or Or→And Add→Sub Sub→Add Mult→FloorDiv Div→Mult FloorDiv→Mult Mod→Mult Pow→Mult BitAnd→BitOr BitOr→BitAnd "
    "BitXor→BitAnd LShift→RShift RShift→LShift Break→Continue Continue→Break"
)
SWAPPED = [swap.split("→") for swap in SWAPS.split()]  # kinds of nodes
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "argmax": "argmin", "zeros": "ones", "ones": "zeros"}


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: Path
    lines: range
    change: str
    code: CodeType


def mutants(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a module. They are compiled from one tree, which is changed and restored."""
    tree = ast.parse(path.read_text("utf-8"))
    for parent, name, place, node in list(nodes(tree)):
        value = getattr(parent, name)
        whole: Any = node if hasattr(node, "lineno") else parent  # an operator has no line
        lines, before = range(whole.lineno, whole.end_lineno + 1), ast.unparse(whole)
        for variant in variants(node, name):
            new = [] if variant is None else [variant]
            setattr(parent, name, variant if place is None else value[:place] + new + value[place + 1 :])
            code = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
            after = ast.unparse(variant if whole is node else parent) if variant else "(nothing)"
            yield Mutant(path, lines, f"{before}  →  {after}", code)
        setattr(parent, name, value)


def nodes(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Yield the nodes of a tree that may be changed; of each its parent, field, place if that is a list, and itself."""
    for name, value in ast.iter_fields(tree):
        for place, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            match node:
                case ast.Expr(ast.Constant()) | ast.keyword("strict"):
                    continue  # docstrings and assertions
                case ast.If(ast.Name("TYPE_CHECKING")) | ast.Name("abstractmethod"):
                    continue  # what only type checkers look at
                case ast.Assign(value=ast.BinOp(op=ast.BitOr(), right=ast.Name() | ast.Constant(None))):
                    continue  # names of types
            if isinstance(node, ast.AST) and name not in {"annotation", "returns"}:
                yield tree, name, place, node
                yield from nodes(node)


def variants(node: ast.AST, name: str) -> Iterator[ast.AST | None]:  # noqa: C901, PLR0912
    """Yield what may stand in the place of a node, in the field of this name; None to leave it out."""
    yield from (getattr(ast, other)() for one, other in SWAPPED if one == type(node).__name__)
    match name:
        case "keywords" | "decorator_list" | "lower" | "upper":
            yield None
        case "test":
            yield ast.UnaryOp(ast.Not(), node)
        case "ifs":
            yield ast.Constant(True)
    match node:
        case ast.BinOp():
            yield from (node.left, node.right)
        case ast.BoolOp(values=[left, right]):
            yield from (left, right)
        case ast.BoolOp(op, values):
            yield from (ast.BoolOp(op, values[:place] + values[place + 1 :]) for place in range(len(values)))
        case ast.UnaryOp():
            yield node.operand
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield from (ast.Constant(value + 1), ast.Constant(value - 1))
        case ast.Constant(float(value)):
            yield from (ast.Constant(value * 2), ast.Constant(value / 2))
        case ast.Constant(str(value)):
            yield ast.Constant("XX" + value)
        case ast.Name(called) if name == "func" and called in CALLED:
            yield ast.Name(CALLED[called], node.ctx)
        case ast.Attribute(of, called) if name == "func" and called in CALLED:
            yield ast.Attribute(of, CALLED[called], node.ctx)
        case ast.Call(ast.Name("abs" | "sorted") | ast.Attribute(attr="abs" | "sort"), [first, *_]):
            yield first
        case ast.Return(ast.expr()) if ast.unparse(node) != "return None":
            yield ast.Return(ast.Constant(None))
        case ast.Expr() | ast.Raise() | ast.AugAssign() | ast.Assign([ast.Subscript() | ast.Attribute()]):
            yield ast.Pass()


@dataclass(eq=False)
class Observer:
    """A plug-in of pytest that notes which tests execute which lines of some files, and how long each test takes."""

    files: set[str]
    tests: dict[tuple[str, int], set[str]] = field(default_factory=lambda: defaultdict(set))  # by file and line
    seconds: dict[str, float] = field(default_factory=dict)
    test: str = ""  # that runs now; "" while modules are imported

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that a test starts."""
        self.test = nodeid
        self.seconds[nodeid] = -process_time()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note how long the test took."""
        self.seconds[nodeid] += process_time()

    def trace(self, frame: FrameType, event: str, argument: object) -> Any:  # noqa: ANN401, ARG002
        """Note that the test executes a line, if it is in one of the files."""
        if frame.f_code.co_filename not in self.files:
            return None
        self.tests[frame.f_code.co_filename, frame.f_lineno].add(self.test)
        return self.trace

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute a mutant's lines; those of the whole module if its import executes them."""
        own = {line: tests for (file, line), tests in self.tests.items() if file == str(mutant.path)}
        found = set[str]().union(*(own.get(line, ()) for line in mutant.lines))
        found = found.union(*own.values()) if "" in found else found
        return sorted(found - {""}, key=lambda test: self.seconds[test])


def observe(files: set[str], tests: list[str]) -> tuple[Observer, list[str]]:
    """Run the tests without mutants; also return the names of the modules of other packages that they import."""
    observer = Observer(files)
    threading.settrace(observer.trace)
    sys.settrace(observer.trace)
    if pytest.main([*PYTEST, *tests], plugins=[observer]):
        raise SystemExit("the tests must pass without mutants")
    sys.settrace(None)
    ours = str(ROOT / "tests"), str(PACKAGE)
    return observer, [
        name for name, one in sys.modules.items() if not str(getattr(one, "__file__", None) or "").startswith(ours)
    ]


def killed(mutant: Mutant, tests: list[str], seconds: float) -> bool:
    """Run tests with a mutant in place of its module; return True if one fails. The process ends if it takes longer."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(int(10 * seconds))  # for a mutant that waits without computing
    get_code = SourceFileLoader.get_code
    SourceFileLoader.get_code = lambda loader, name: (  # type: ignore[method-assign]
        mutant.code if loader.path == str(mutant.path) else get_code(loader, name)
    )
    return bool(pytest.main([*PYTEST, *tests]))


def tried(found: Iterable[Mutant], observer: Observer, jobs: int) -> Iterator[tuple[Mutant, bool]]:
    """Yield each mutant, with True if it was killed. Each has a process of its own; `jobs` of them run at a time."""
    waiting, running = iter(found), dict[int, Mutant]()
    while True:
        for mutant in islice(waiting, jobs - len(running)):
            if process := os.fork():
                running[process] = mutant
                continue
            with suppress(BaseException), Path(os.devnull).open("w") as nothing:
                os.dup2(nothing.fileno(), 1)
                os.dup2(nothing.fileno(), 2)
                tests = observer.tests_of(mutant)
                seconds = SECONDS + 2 * sum(observer.seconds[test] for test in tests)
                os._exit(bool(tests) and killed(mutant, tests, seconds))
            os._exit(1)
        if not running:
            return
        process, status = os.wait()
        yield running.pop(process), status != 0


def main() -> None:
    """Print the mutants that survive, and how many mutants each module has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="exact, exact/limit.py or exact/limit.py:76")
    parser.add_argument("--tests", nargs="+", help="files or folders; those of the modules' rooms if not set")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    places = []
    for name, _, line in (text.partition(":") for text in asked.modules):
        paths = [PACKAGE / name] if name.endswith(".py") else sorted((PACKAGE / name).rglob("*.py"))
        places += [(path, int(line or 0)) for path in paths]
    rooms = dict.fromkeys(path.relative_to(PACKAGE).parts[0] for path, _ in places)
    tests = asked.tests or [str(place / room) for room in rooms for place in (PACKAGE, ROOT / "tests")]
    os.chdir(ROOT)
    hypothesis.settings.register_profile("mutants", database=None, deadline=None, derandomize=True)
    hypothesis.settings.load_profile("mutants")
    engine.MAX_SHRINKS = 0  # one failing example is enough
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        observer, imported = pool.submit(observe, {str(path) for path, _ in places}, tests).result()
    for name in imported:
        with suppress(Exception):
            importlib.import_module(name)
    gc.freeze()
    wanted = (one for path, line in places for one in mutants(path) if not line or line in one.lines)
    counts = Counter[tuple[Path, bool]]()
    for mutant, dead in tried(wanted, observer, asked.jobs):
        counts[mutant.path, dead] += 1
        if not dead:
            place = f"{mutant.path.relative_to(PACKAGE)}:{mutant.lines[0]}"
            print(f"{place}: {mutant.change}  survives {len(observer.tests_of(mutant))} tests", flush=True)
    for path in dict(places):
        print(f"{path.relative_to(PACKAGE)}: {counts[path, True]} killed, {counts[path, False]} survive")


if __name__ == "__main__":
    main()
