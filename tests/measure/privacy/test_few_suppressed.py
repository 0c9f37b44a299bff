"""Few suppressed rows tell on somebody: whoever is known to be in the table and matches no class is among them."""

from __future__ import annotations

import pytest

import PETWorks as pw
from support.output import evaluation_junit, evaluation_markdown
from support.process import petworks

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


SAID = {"en": "Fewer than {} people have suppressed rows", "zh_TW": "整列遮蔽的資料列所屬的人少於 {} 人"}


@pytest.mark.parametrize("language", SAID)
def test_every_format_tells_it_once_below_the_answer(language):
    goals = [pw.KAnonymity(3), pw.AlphaKAnonymity(**ALPHA, k=10), pw.LDiversity(2)]
    checked = release(2).check(*goals)
    for told in (checked, checked.guarded()):
        assert " ".join(told.text(language).split()).count(SAID[language].format(3)) == 1
    page = checked.to_html(language=language)
    assert page.index(SAID[language].format(3)) < page.index("<h2")
    # "fewer than 3" would say too much to those who may not see the table, as would a note beside a verdict on 3
    for goal, bound in ((pw.KAnonymity(3), ()), (pw.KAnonymity(5), (5,))):
        public = release(2).check(goal).public()
        for written in (evaluation_markdown(public, language), evaluation_junit(public, language), public.to_html()):
            assert [number for number in (3, 5, 10) if SAID[language].format(number) in written] == [*bound]


def test_the_command_line_tells_it(tmp_path):
    rows = ["1"] * 12 + ["*"] * 2
    (tmp_path / "t.csv").write_text("\n".join(["zip;ill", *(f"{one};flu" for one in rows)]) + "\n")
    known = '[roles]\nquasi_identifiers = ["zip"]\nthe_rest = "insensitive"\n'
    asked = '[[require]]\nmeasure = "k-anonymity"\nk = 5\n'
    (tmp_path / "p.toml").write_text(f'version = 1\n[data]\nreleased = "t.csv"\n{known}{asked}')
    for command in (
        ["check", "p.toml"],
        ["check", "p.toml", "--format", "markdown"],
        ["evaluate", "t.csv", "-q", "zip"],
    ):
        assert SAID["en"].format(5) in " ".join(petworks(*command, cwd=tmp_path).stdout.split())
