"""Adding a measure means adding one file: here in a package of somebody else's."""

import subprocess
import sys

MEASURE = '''"""Answer: a measure of somebody else's.

Definition
    The number of classes, at least one.
"""

from dataclasses import dataclass
from typing import ClassVar

from PETWorks.measure.privacy import Bound, Privacy, Side
from PETWorks.measure.base import Words
from PETWorks.exact.scores import Ratios


@dataclass(frozen=True, kw_only=True)
class Answer(Privacy):
    """Half of each class."""

    name: ClassVar[str] = "answer"
    words: ClassVar = {
        "en": Words("Answer", "The answer is {value}."),
        "zh_TW": Words("答案", "答案為 {value}。"),
    }

    def bounds(self, facts):
        yield Bound(Side.AT_LEAST, "1/2", Ratios(facts.classes.sizes, 2))
'''

SCRIPT = """
import PETWorks as pw
assert pw.measures()["answer"] is pw.Answer
release = pw.Release({"year": ["197*", "198*", "198*"]})
evaluation = release.evaluate()
assert str(evaluation["answer"].exact) == "1/2" and evaluation["answer"].holds
print(evaluation["answer"])
print(pw.Answer.__module__, pw.Answer.__doc__)
"""


def test_plugin_is_found_evaluated_and_documented(tmp_path):
    package = tmp_path / "somebody"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "answer.py").write_text(MEASURE, encoding="utf-8")
    about = tmp_path / "somebody-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: somebody\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[petworks.measures]\nsomebody = somebody\n")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert run.stderr == ""
    assert "Answer: 1/2 (0.5), at least 0.5: holds" in run.stdout
    assert "somebody.answer Half of each class." in run.stdout
