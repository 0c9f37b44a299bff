"""From bounds to a result: which part decides, which classes are listed, and which steps and notes there are."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest

import PETWorks as pw
from PETWorks.explain.step import Name, Step


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


class Scored(pw.KAnonymity):
    """A measure whose words tell how it scores, as those of a plug-in may."""

    words: ClassVar = {"en": replace(pw.KAnonymity.words["en"], steps={"scored": "By {part}, of {people}."})}


def test_the_figures_of_a_bound_are_told_in_its_scoring_and_in_its_part():
    result = release("aab", "xyz").ask("k-anonymity")
    bound = replace(result.bounds[0], part="q", figures={"people": 3})
    assert [*Scored().scoring(bound, result.measured)] == [Step("scored", {"people": 3, "part": Name("q")})]
    assert [*pw.KAnonymity().scoring(bound, result.measured)] == []
    for one in release("aab", "xyz").evaluate(others=True):
        for bound, part in zip(one.bounds, one.parts.values(), strict=True) if one.bounds else ():
            assert bound.figures.items() <= part.figures.items()
