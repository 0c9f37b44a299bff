"""What an equal measure has worked out before is told in the same words: a limit is that of the caller."""

import pytest

import PETWorks as pw
from PETWorks.render.lines import LineWriter
from render.evaluations import Requirement

PEOPLE = {"sex": ["f"] * 6 + ["m"] * 6, "ill": ["a", "b", "c"] * 4}


@pytest.mark.parametrize("kind", [lambda: pw.KAnonymity(5), lambda: pw.LDiversity(2), lambda: pw.TCloseness("0.5")])
def test_a_limit_that_an_equal_measure_has_judged_by(kind):
    release = pw.Release(PEOPLE, quasi_identifiers=["sex"], sensitive=["ill"])
    alone = LineWriter("en").write_requirement(Requirement(kind(), kind().evaluate(release.facts)))
    again = pw.Release(PEOPLE, quasi_identifiers=["sex"], sensitive=["ill"])
    kind().find_failing(again.facts)
    told = LineWriter("en").write_requirement(Requirement(measure := kind(), measure.evaluate(again.facts)))
    assert [(one.value, one.limit) for one in told] == [(one.value, one.limit) for one in alone]
    assert "required" not in told[0].limit
