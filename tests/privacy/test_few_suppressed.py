"""Few suppressed rows tell on somebody: whoever is known to be in the table and matches no class is among them."""

from __future__ import annotations

import pytest

import PETWorks as pw

ALPHA = {"alpha": "0.9"}


def release(suppressed: int, who: list[str] | None = None, **options: object) -> pw.Release:
    """A release of a class of twelve, and some suppressed rows, which may belong to the same person."""
    rows = 12 + suppressed
    table = {"zip": ["1"] * 12 + ["*"] * suppressed, "ill": [*"abc"] * (rows // 3) + [*"abc"][: rows % 3]}
    people = {"who": [*map(str, range(12)), *(who or [])]} if who else {}
    return pw.Release(table | people, quasi_identifiers=["zip"], sensitive=["ill"], **options)


def warned(result: pw.Result) -> str | None:
    found = [note.figures["size"] for note in result.notes if note.kind == "few_suppressed"]
    return str(found[0]) if found else None


@pytest.mark.parametrize("suppressed", range(12))
@pytest.mark.parametrize(
    ("measure", "size"),
    [
        (pw.KAnonymity(), 5),
        (pw.KAnonymity(3), 3),
        (pw.AlphaKAnonymity(**ALPHA, k=10), 10),
        (pw.AlphaKAnonymity(**ALPHA), 0),
        (pw.LDiversity(2), 0),
        (pw.ContextRisk(attempts={"insider": "0.5"}, risk="highest", adversary="prosecutor", limit="0.05"), 10),
    ],
    ids=str,
)
def test_rows(measure, size, suppressed):
    assert warned(release(suppressed).ask(measure)) == (str(size) if 0 < suppressed < size else None)


@pytest.mark.parametrize("known", ["one", "all"])
@pytest.mark.parametrize(("who", "few"), [(["A"] * 6, True), ([*"ABCDEF"], False), (["0"] * 6, True)])
def test_people(who, few, known):
    """Six rows of one person are one, whether or not the person has other rows."""
    result = release(6, who, person="who", known=known).ask(pw.KAnonymity(5))
    assert warned(result) == ("5" if few else None)


def test_what_is_said():
    result = release(2).ask(pw.KAnonymity(5))
    told = {"en": "Fewer than 5 people have suppressed rows", "zh_TW": "整列遮蔽的資料列所屬的人少於 5 人"}
    for language, sentence in told.items():
        assert sentence in result.text(language)
        assert sentence in result.guarded().text(language)
        assert sentence in pw.Evaluation([result], facts=result.facts).to_html(language=language)


def test_a_release_that_was_made_has_none_or_enough():
    table = {"zip": list("1111112223")}
    made = pw.anonymize(table, goals=pw.KAnonymity(3), quasi_identifiers=["zip"], suppress_at_most="50%")
    assert (made.suppressed, warned(made.release.ask(pw.KAnonymity(3)))) == (4, None)
