"""The demonstration: five measures of the Adult release that comes with PETWorks."""

from __future__ import annotations

from pathlib import Path

from PETWorks.answer.evaluation import Evaluation
from PETWorks.privacy.profitability import Profitability
from PETWorks.privacy.t_closeness import TCloseness
from PETWorks.release import Release
from PETWorks.render.text import evaluation_text, indented, scope_line
from PETWorks.render.words import words

INSTALLED = Path(__file__).parents[1] / "data"
CHECKOUT = Path(__file__).parents[3] / "data"


def data_folder() -> Path:
    """Return the folder of the data: within the installed package, or in a checkout."""
    return INSTALLED if INSTALLED.is_dir() else CHECKOUT


def evaluate(data: Path | None = None) -> Evaluation:
    """Measure the Adult release; for t-closeness, salary-class is sensitive and the other columns form classes."""
    data = data or data_folder()
    released, hierarchies = data / "adult_anonymized.csv", data / "adult_hierarchy"
    everything = Release(released, original=data / "adult.csv", hierarchies=hierarchies)
    others = [name for name in everything.roles.quasi_identifiers if name != "salary-class"]
    amounts = Profitability(cost=4, gain=300, loss=300, benefit=1200)
    utility = everything.evaluate("Precision", "AECS", "Non-Uniform Entropy", amounts)
    salaries = everything.with_roles(quasi_identifiers=others, sensitive=["salary-class"])
    return Evaluation([*utility, salaries.ask(TCloseness())])


def text(language: str = "en") -> str:
    """Write the demonstration for the terminal."""
    word, evaluation = words(language), evaluate()
    head = [*indented(word.demo, 0), scope_line(evaluation[0], word), ""]
    return "\n".join(head) + "\n" + evaluation_text(evaluation, language)
