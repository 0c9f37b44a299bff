"""Searches that end early, or report often, for tests of what is told of them and of what is written."""

from collections.abc import Callable
from typing import Any

import pytest

from PETWorks.anonymization import front, search
from PETWorks.anonymization.local.polish import Polish


def stop_early(patch: pytest.MonkeyPatch) -> None:
    """Let every search stop as if time were up, once it has found something."""
    real = search.LatticeSearch._late.fget
    patch.setattr(search.LatticeSearch, "_late", property(lambda self: self._best is not None or real(self)))


def interrupt_search(patch: pytest.MonkeyPatch, interrupt: Callable[[], object]) -> None:
    """Call `interrupt` once, when a search has found something and evaluates another vector."""
    evaluate, seen = search.LatticeSearch._evaluate, []

    def interrupted(self: Any, index: Any) -> Any:
        if self._best is not None and not seen:
            seen.append(index)
            interrupt()
        return evaluate(self, index)

    patch.setattr(search.LatticeSearch, "_evaluate", interrupted)
    # these leave nothing to evaluate after the best
    patch.setattr(search.NodeJudge, "find_hopeless_pairs", lambda *_: ())


def interrupt_polishing(patch: pytest.MonkeyPatch) -> None:
    """Let Ctrl-C be pressed in the second round of polishing."""
    real, rounds = Polish.run_round, []

    def interrupted(self: Polish, deadline: float | None) -> Any:
        rounds.append(deadline)
        if len(rounds) == 2:
            raise KeyboardInterrupt
        return real(self, deadline)

    patch.setattr(Polish, "run_round", interrupted)


def interrupt_front(patch: pytest.MonkeyPatch) -> list[Any]:
    """Let Ctrl-C be pressed at the fourth point of a front; return a list that receives what each point asks for."""
    real, calls = front.build_search, []

    def interrupted(*given: Any, **options: Any) -> Any:
        calls.append(given)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*given, **options)

    patch.setattr(front, "build_search", interrupted)
    return calls


def report_always(patch: pytest.MonkeyPatch) -> None:
    """Let a search report its progress at every step, however soon the last report was."""
    patch.setattr(search, "REPORT_INTERVAL", -1.0)
