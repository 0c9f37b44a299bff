"""What the command line prints: compared exactly for a small table and the storyboard's, and within 80 columns."""

from dataclasses import replace

import pytest

import PETWorks as pw
from PETWorks import Evaluation
from PETWorks.render.summary import FAILS, HOLDS, color_verdicts, write_check, write_evaluation_table
from PETWorks.render.typography import WIDTH, display_width
from PETWorks.render.words import LANGUAGES
from render.evaluations import HOSTILE, adult, all_sorts, hostile, judged, small, suppressed, unasked

CHECKED = {
    "en": """\
release  8 rows, 1 suppressed (12.5%), 2 classes

FAIL  k-anonymity                    2  at least 3     1 class, 2 people
ok    profitability                yes  required
ok    t-closeness, disease      0.2500  at most 0.3
ok    re-identification (mean)  0.2857  at most 0.5
ok    Precision                 0.6562  at least 0.25

1 of 5 requirements does not hold.
Fewer than 3 people have suppressed rows: whoever is known to be in the table
and matches no class must be one of them.
  Suppressing the failing class (2 people, 25.0%) would make all hold;
  Precision would fall from 0.6562 to 0.4688.
  Why: petworks explain 'my policy.toml' k-anonymity""",
    "zh_TW": """\
release  8 列，整列遮蔽 1 列（12.5%），等價類 2 個

不滿足  k-匿名性                     2  至少 3      1 個等價類，2 人
滿足    獲利力                      是  須滿足
滿足    t-相似性，disease       0.2500  至多 0.3
滿足    再識別風險（平均）      0.2857  至多 0.5
滿足    精準度                  0.6562  至少 0.25

5 項要求中，有 1 項不滿足。
整列遮蔽的資料列所屬的人少於 3 人：已知在表中而不屬於任何等價類的人，必為其中之
一。
  若遮蔽未通過的等價類（2 人，25.0%），全部要求即可滿足；
  精準度將由 0.6562 降為 0.4688。
  原因：petworks explain 'my policy.toml' k-anonymity --lang zh_TW""",
}

EVALUATED = {
    "en": """\
Privacy                                measured  decided by
  k-anonymity                                 2  1 class of 2 people
  t-closeness, disease (equal)           0.2500  1 class of 1 to 4 people
Risk                                             lower is better
  re-identification, highest             0.5000  1/2 for 2 people
Utility, 0 to 1                                  higher is better
  Precision                              0.6562  least: age 0.4375
  suppressed rows                        0.1250  lower is better
Not evaluated
  k-map, δ-presence                           -  needs --population FILE
  profitability                               -  needs --cost --gain --loss
                                                 --benefit
No limits given: nothing was judged. A policy judges: petworks check --help
Fewer than 5 people have suppressed rows: whoever is known to be in the table
and matches no class must be one of them.""",
    "zh_TW": """\
隱私保護力                                 數值  決定者
  k-匿名性                                    2  1 個 2 人的等價類
  t-相似性，disease（等距）              0.2500  1 個 1 至 4 人的等價類
風險                                             越小越好
  再識別風險，最高風險                   0.5000  1/2，計 2 人
資料效用，0 至 1                                 越大越好
  精準度                                 0.6562  最低：age 0.4375
  整列遮蔽比例                           0.1250  越小越好
未評估
  k-映射、δ-存在性                            -  須提供 --population 檔案
  獲利力                                      -  須提供 --cost --gain --loss
                                                 --benefit
未設定門檻，故不判定。以政策檔判定：petworks check --help
整列遮蔽的資料列所屬的人少於 5 人：已知在表中而不屬於任何等價類的人，必為其中之
一。""",
}

STORYBOARD = {
    "en": """\
l3_occupation_qi6.csv.gz  30,162 rows, 1,224 suppressed (4.1%), 504 classes

FAIL  k-anonymity                     3  at least 5    107 classes, 380 people
FAIL  t-closeness, occupation    0.7310  at most 0.4   203 classes, 2,778 people
ok    l-diversity, occupation         3  at least 3
ok    re-identification (mean)  0.01742  at most 0.05
ok    profitability                 yes  required
ok    Precision                  0.7462  at least 0.6

2 of 6 requirements do not hold.
  Suppressing the 229 failing classes (2,867 people, 9.5%) would make all hold;
  Precision would fall from 0.7462 to 0.6723.
  Why: petworks explain policy.toml t-closeness""",
    "zh_TW": """\
l3_occupation_qi6.csv.gz  30,162 列，整列遮蔽 1,224 列（4.1%），等價類 504 個

不滿足  k-匿名性                      3  至少 5      107 個等價類，380 人
不滿足  t-相似性，occupation     0.7310  至多 0.4    203 個等價類，2,778 人
滿足    l-多樣性，occupation          3  至少 3
滿足    再識別風險（平均）      0.01742  至多 0.05
滿足    獲利力                       是  須滿足
滿足    精準度                   0.7462  至少 0.6

6 項要求中，有 2 項不滿足。
  若遮蔽未通過的 229 個等價類（2,867 人，9.5%），全部要求即可滿足；
  精準度將由 0.7462 降為 0.6723。
  原因：petworks explain policy.toml t-closeness --lang zh_TW""",
}

both = pytest.mark.parametrize("language", LANGUAGES)


@both
def test_check(language):
    evaluation = judged(small())
    assert write_check(evaluation.guarded(), language, evaluation.advice, "my policy.toml") == CHECKED[language]


@both
def test_evaluate(language):
    everything = small().evaluate()
    names = ("suppressed rows", "Precision", "re-identification", "k-anonymity", "t-closeness")
    chosen = [one for one in everything if one.measure.words["en"].title in names]
    skipped = {name: everything.skipped[name] for name in ("k-map", "profitability", "δ-presence")}
    assert write_evaluation_table(Evaluation(chosen, skipped).guarded(), language) == EVALUATED[language]


@pytest.mark.usefixtures("shared")
def test_as_in_the_storyboard():
    evaluation = adult()
    for language, text in STORYBOARD.items():
        assert write_check(evaluation.guarded(), language, evaluation.advice, "policy.toml") == text
    asked = [pw.KAnonymity(), pw.TCloseness(), pw.ReidentificationRisk(), pw.Precision(), pw.NonUniformEntropy()]
    unlimited = Evaluation([measure.evaluate(evaluation.facts) for measure in asked])
    table = write_evaluation_table(unlimited.guarded()).splitlines()
    for line in (
        "  k-anonymity                                 3  48 classes of 3 people",
        "  t-closeness, occupation (hier.)        0.7310  1 class of 1 to 4 people",
        "  re-identification, highest             0.3333  1/3 for 144 people",
        "  Precision                              0.7462  least: age 0.4797",
        "  Non-Uniform Entropy                    0.5815  least: native-country 0.321",
    ):
        assert line in table


@both
def test_all_hold(language):
    evaluation = small().evaluate(pw.KAnonymity(k=2), pw.Precision(at_least="0.1"))
    answer = {"en": "All 2 requirements hold.", "zh_TW": "2 項要求全部滿足。"}[language]
    assert write_check(evaluation, language, evaluation.advice, "p.toml").splitlines()[-3] == answer
    assert (
        write_evaluation_table(evaluation, language).splitlines()[-3] == answer
    )  # two lines on the suppressed row follow


@both
def test_what_could_not_be_asked_stands_between(language):
    lines = write_check(unasked().guarded(), language).splitlines()
    verdicts = {"en": ["FAIL", "?", "?", "ok"], "zh_TW": ["不滿足", "無法評估", "無法評估", "滿足"]}[language]
    assert [line.split()[0] for line in lines[2 : lines.index("", 2)] if line[0] != " "] == verdicts
    assert "rule 7" in lines[2 if language == "en" else 3]
    assert any("a.csv" in line for line in lines)
    assert not any("<b>" in line for line in lines)  # a note that would name values is replaced
    assert "(data release rule 8)" in [line.strip() for line in lines] or language != "en"  # on its own line
    last = "1 of 4 requirements does not hold, 2 could not be evaluated."
    assert lines[-3] == {"en": last, "zh_TW": "4 項要求中，有 1 項不滿足、2 項無法評估。"}[language]


SAID = {
    "en": ("would make all hold that could be evaluated", "1 failing of the 2 requirements that could"),
    "zh_TW": ("可評估的要求即可全部滿足", "可評估的 2 項要求中僅剩 1 項不滿足"),
}
SHOWN = {
    "en": ("All requirements that could be evaluated then hold.", "1 of the 2 requirements that could be evaluated"),
    "zh_TW": ("處理後可評估的要求皆滿足。", "處理後可評估的 2 項要求中仍有 1 項不滿足"),
}


@both
def test_a_remedy_is_judged_by_what_could_be_evaluated(language):
    """Two requirements could not be: of the other two, all hold if the small class is suppressed; else one does."""
    holding, failing = unasked(), unasked()
    (remedy,) = holding.advice.suppress
    fails = replace(remedy, after=(replace(remedy.after[0], holds=False), *remedy.after[1:]))
    failing.advice = replace(holding.advice, suppress=(fails,), failing=2)
    for evaluation, said, shown in zip((holding, failing), SAID[language], SHOWN[language], strict=True):
        assert "".join(said.split()) in "".join(write_check(evaluation, language, evaluation.advice).split())
        assert shown in evaluation.to_html()


@both
def test_what_would_help_is_not_for_the_public(language):
    evaluation = judged(small())
    shown = [write_check(one, language, evaluation.advice) for one in (evaluation.guarded(), evaluation.public())]
    assert ["25.0%" in text for text in shown] == [True, False]


def test_answers_count_well():
    def answer(*limits):
        lines = write_check(small().evaluate(*(pw.KAnonymity(k=k) for k in limits))).splitlines()
        return next(line for line in reversed(lines) if "suppressed rows" not in line and not line.startswith("and "))

    assert answer(3) == "1 of 1 requirement does not hold."
    assert answer(3, 3) == "2 of 2 requirements do not hold."
    assert answer(1) == "The one requirement holds."
    assert answer(None) == "1 measure, no requirements given."


@both
def test_everything_suppressed(language):
    banners = {
        "en": "All 4 rows are suppressed: nothing is published",
        "zh_TW": "全部 4 列皆遭整列遮蔽，未發布任何資料",
    }
    can_fail = {"en": ", so nothing can fail.", "zh_TW": "，故無從違反要求。"}
    for text in (
        write_check(suppressed().evaluate(pw.KAnonymity(k=5)), language),
        write_evaluation_table(suppressed().evaluate(), language),
    ):
        assert banners[language] + can_fail[language] in text
    text = write_check(judged(suppressed()), language)  # Precision does fail
    assert banners[language] in text
    assert can_fail[language] not in text


@both
@pytest.mark.parametrize("kind", all_sorts())
def test_80_columns_on_any_console(kind, language):
    for evaluation in (all_sorts()[kind], all_sorts()[kind].guarded()):
        for text in (write_check(evaluation, language), write_evaluation_table(evaluation, language)):
            assert max(map(display_width, text.splitlines())) <= WIDTH
            assert text.replace("\n", "").isprintable()
            assert "None" not in text
            if "hostile" not in kind:
                assert text.encode("cp950")


@both
@pytest.mark.parametrize("name", [*HOSTILE, "長" * 300, "x" * 90, "a b " * 40], ids=ascii)
def test_long_and_hostile_names_stay_in_their_column(name, language):
    release = hostile(name)
    evaluation = release.evaluate(pw.LDiversity(l=2), pw.TCloseness(t="0.1"), pw.KAnonymity(k=1))
    for text in (
        write_check(evaluation, language),
        write_evaluation_table(release.evaluate(), language),
        str(evaluation),
    ):
        assert max(map(display_width, text.splitlines())) <= WIDTH
        assert "\u202e" not in text
        assert "\0" not in text


@both
def test_values_of_any_length_stay_in_their_column(language):
    evaluation = small().evaluate(pw.Profitability(cost=4, gain=300, loss=300, benefit=10**60), pw.KAnonymity(k=10**40))
    for text in (write_check(evaluation, language), write_evaluation_table(evaluation, language)):
        assert max(map(display_width, text.splitlines())) <= WIDTH


@both
def test_colours_are_only_added(language):
    text = write_check(judged(small()), language) + "\n" + write_evaluation_table(judged(small()), language)
    shown = color_verdicts(text)
    assert shown.plain == text
    spans = {(text[span.start : span.end], span.style) for span in shown.spans}
    fails, holds = {"en": (["FAIL", "does not hold"], ["ok", "holds"]), "zh_TW": (["不滿足"], ["滿足"])}[language]
    assert spans == {(word, FAILS) for word in fails} | {(word, HOLDS) for word in holds}
