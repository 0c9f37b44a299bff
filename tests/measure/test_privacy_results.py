"""From bounds to a result: which part decides, which classes are listed, and which steps and notes there are."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import pytest

import PETWorks as pw
from PETWorks.measure.result import ClassScore, EqualScores, ResultPart
from PETWorks.measure.steps import Name
from PETWorks.plugin import Bound, Limit, Privacy, Ratios, Side, Words


def release(cells: str, *sensitive: str) -> pw.Release:
    """A table of a quasi-identifier and sensitive attributes, a letter for each row."""
    columns = {f"s{place}": list(values) for place, values in enumerate(sensitive)}
    return pw.Release({"q": list(cells)} | columns, quasi_identifiers=["q"], sensitive=[*columns])


def kinds(result: pw.Result) -> list[str]:
    return [step.kind for step in result.steps]


def test_ten_classes_are_listed():
    result = release("aabcdefghijklm").ask("k-anonymity")
    assert [one.size for one in result.worst] == [1] * 10


@pytest.mark.parametrize("order", [("xxxx", "uuvv"), ("uuvv", "xxxx")])
def test_the_worst_attribute_decides_though_another_scores_zero(order):
    """Everybody has x, at a distance of 0; u and v are each in a class of their own, at 1/2."""
    result = release("aabb", *order).ask(pw.TCloseness(t="1/4"))
    assert (result.value, result.holds) == (0.5, False)
    assert sorted(part.value for part in result.parts.values()) == [0, 0.5]
    assert sorted(part.holds for part in result.parts.values()) == [False, True]


@pytest.mark.parametrize("order", [("xyxy", "uuvv"), ("uuvv", "xyxy")])
def test_an_attribute_beyond_every_limit_decides(order):
    """Each class lacks u or v."""
    result = release("aabb", *order).ask(pw.DeltaDisclosure(delta=5, absent="count"))
    assert (result.value, result.exact, result.holds) == (None, None, False)
    assert result.figures["hopeless_classes"] == 2
    assert [one.value for one in result.worst] == [one.exact for one in result.worst] == [None, None]
    fine, beyond = sorted(result.parts.values(), key=lambda part: "hopeless_classes" in part.figures)
    assert (fine.value, fine.exact, beyond.value) == (0, 0, None)


def test_classes_with_and_without_a_score():
    """Class b lacks y; a has both values, as the table has."""
    result = release("aaaabb", "xxxyxx").ask(pw.DeltaDisclosure(delta=5, absent="count"))
    assert [(one.values["q"], one.value is None) for one in result.worst] == [("b", True), ("a", False)]
    assert result.figures["hopeless_classes"] == 1


def test_nothing_published():
    result = release("***", "xyz").ask(pw.KAnonymity(k=2))
    assert "nothing_published" in [note.kind for note in result.notes]
    assert "nothing_published" in kinds(result)
    assert "deciding" not in kinds(result)
    assert release("***", "xyz", "uvw").ask(pw.TCloseness(t=0)).value is None
    published = release("aab", "xyz").ask(pw.KAnonymity(k=1))
    assert "nothing_published" not in kinds(published) + [note.kind for note in published.notes]


def test_steps_end_with_what_helps_if_it_fails():
    fails, holds = (release("aab", "xyz").ask(pw.KAnonymity(k=k)) for k in (2, 1))
    assert kinds(fails)[-1] == "suppressing" not in kinds(holds)
    assert kinds(holds)[-2:] == kinds(fails)[-3:-1] == ["untold", "improve"]
    assert fails.steps[-1].figures == {"classes": 1, "people": 1}


def test_classes_that_share_the_worst_score():
    """Of four classes, two have one value only: one of three people and one of two."""
    result = release("aaabbccdd", "xxxyyxyxy").ask(pw.LDiversity(l=2))
    assert (result.alike.classes, result.alike.least, result.alike.most) == (2, 2, 3)
    assert (result.failing_classes, result.failing_rows, result.judged_classes, result.judged_rows) == (2, 5, 4, 9)


@pytest.mark.parametrize(("first", "second"), [("xyy", "xxyyyy"), ("xxxxyzuv", "xyzu")])
def test_classes_of_different_counts_that_share_the_worst_score(first, second):
    """Thirds of three and of six people have one entropy; so have a half with four eighths, and four quarters."""
    result = release("a" * len(first) + "b" * len(second), first + second).ask(pw.LDiversity(l=5, variant="entropy"))
    sizes = sorted([len(first), len(second)])
    assert (result.alike.classes, result.alike.least, result.alike.most) == (2, *sizes)
    assert [one.size for one in result.worst] == sizes[::-1]


class AtLeastTwo(Privacy):
    """The least that a measure consists of, as that of a plug-in may: bounds, and words."""

    name: ClassVar[str] = "at least two"
    words: ClassVar = {"en": Words("at least two", "{value}", "", {"scored": "By {part}, of {people}."})}

    def bounds(self, facts):
        sizes = Ratios(facts.classes.sizes)
        yield Bound(Side.AT_LEAST, 2, sizes, facts.classes, "size", figures={"people": facts.classes.rows})


def test_the_least_that_a_measure_consists_of():
    """Three classes, of which one has one person."""
    result = release("aabbc").ask(AtLeastTwo())
    assert result.parts["size"] == ResultPart(
        value=1.0,
        exact=Fraction(1),
        side=Side.AT_LEAST,
        limit=Limit.of(2),
        holds=False,
        failing_classes=1,
        failing_rows=1,
        judged_classes=3,
        judged_rows=5,
        worst=tuple(
            ClassScore({"q": q}, size, size, Fraction(size), size) for q, size in [("c", 1), ("a", 2), ("b", 2)]
        ),
        figures={"people": 5},
        alike=EqualScores(1, 1, 1),
        about_few=True,
    )
    assert kinds(result) == ["grouped_all", "scored", "deciding", "fails at least, classes", "suppressing"]
    assert result.steps[1].figures == {"people": 5, "part": Name("size")}
    assert [step.part for step in result.steps] == ["", "size", "size", "size", ""]
    assert "few_decide" in kinds(result.guarded())
    assert (AtLeastTwo.family, AtLeastTwo.monotone) == ("privacy", False)  # what is not declared is not assumed
    assert [*release("aab").ask("k-anonymity").parts] == [""]
    assert kinds(release("aab").ask("k-anonymity"))[:2] == ["grouped_all", "deciding"]


def test_only_bounds_that_lead_give_a_measure_its_value():
    """Classes of two people in which every value has a share of one half."""
    result = release("aabb", "xyxy").ask(pw.AlphaKAnonymity(alpha="3/4", k=3))
    assert {name: part.value for name, part in result.parts.items()} == {"s0": 0.5, "k": 2}
    assert (result.value, result.exact, result.holds) == (0.5, Fraction(1, 2), False)
