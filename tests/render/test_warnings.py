"""What puts a value in doubt is told beside it and with the answer, in every format and language."""

import json
import re
from io import StringIO
from xml.etree.ElementTree import fromstring

import pytest
from rich.console import Console

import PETWorks as pw
from PETWorks.render.formats.junit import evaluation_junit
from PETWorks.render.formats.markdown import evaluation_markdown
from PETWorks.render.summary import write_check, write_evaluation_table
from PETWorks.render.words import LANGUAGES

ROWS = 400
SEXES = ["f", "m", "m", "f", "f", "m", "f"]
ORIGINAL = {
    "age": [str(20 + row * row % 37) for row in range(ROWS)],
    "sex": [SEXES[row * row % 7] for row in range(ROWS)],
    "place": [f"p{row * row % 23}" for row in range(ROWS)],
}
BRIEF = {
    "en": ("cells are no generalisation of their original", "rows do not seem to pair"),
    "zh_TW": ("個並非其原始值的概化結果", "筆似乎未正確配對"),
}
FULL = {
    "en": ("cells of age, sex, place hold a value", "rows do not seem to pair with their original"),
    "zh_TW": ("age、sex、place 的", "筆似乎未與其原始資料列配對"),
}
MEASURES = (pw.Precision(at_least="0.5"), pw.Granularity(at_least="0.5"), pw.SampleUniqueness(at_most="0.9"))


def swapped() -> pw.Release:
    """Twelve of 400 rows are out of place."""
    order = list(range(ROWS))
    order[10:16], order[300:306] = order[300:306], order[10:16]
    return pw.Release({name: [cells[row] for row in order] for name, cells in ORIGINAL.items()}, original=ORIGINAL)


RELEASE = swapped()
EVALUATION = RELEASE.check(*MEASURES)
PUBLIC = EVALUATION.public()


def drawn(subject: object) -> str:
    """Return what a terminal shows, in one line."""
    console = Console(file=StringIO(), width=400)
    console.print(subject)
    return " ".join(console.file.getvalue().split())


TEXTS = {
    "check": lambda language: write_check(EVALUATION, language),
    "check, guarded": lambda language: write_check(EVALUATION.guarded(), language),
    "evaluate": lambda language: write_evaluation_table(EVALUATION, language),
    "evaluate, no limits": lambda language: write_evaluation_table(
        RELEASE.evaluate("Precision", "granularity"), language
    ),
    "python": EVALUATION.text,
    "markdown": lambda language: evaluation_markdown(EVALUATION, language),
    "notebook": lambda language: EVALUATION.in_language(language)._repr_html_(),
    "terminal": lambda language: drawn(EVALUATION.in_language(language)),
    "junit": lambda language: evaluation_junit(EVALUATION, language).replace("<", " "),  # texts are attributes, too
    "public check": lambda language: write_check(PUBLIC, language),
    "public markdown": lambda language: evaluation_markdown(PUBLIC, language),
    "public junit": lambda language: evaluation_junit(PUBLIC, language).replace("<", " "),
    "public page": lambda _: PUBLIC.to_html(),
    "public page, no limits": lambda _: RELEASE.evaluate("Precision", "granularity").public().to_html(),
}


def said(text: str, sentence: str, language: str) -> int:
    """Count how often a sentence is in a text, whatever its markup, and however it is wrapped."""
    gap = " " if language == "en" else ""
    return gap.join(re.sub("<[^>]*>|`", "", text).split()).count(gap.join(sentence.split()))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", [*TEXTS])
def test_told_beside_each_value_and_with_the_answer(form, language):
    text = TEXTS[form](language)
    for brief, full in zip(BRIEF[language], FULL[language], strict=True):
        assert said(text, full, language) >= 1, full
        assert said(text, brief, language) >= 2, brief


def test_a_result_and_its_explanation_tell_it():
    for text in (
        str(EVALUATION[0]),
        str(EVALUATION[0].explain()),
        drawn(EVALUATION[0]),
        drawn(EVALUATION[0].explain()),
    ):
        for full in FULL["en"]:
            assert said(text, full, "en") == 1
    assert "Warning" not in str(EVALUATION[2])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_tells_it_outside_of_folds(language):
    page = EVALUATION.to_html(language=language)
    answer, rest = page.split("</header>")[1].split('<nav class="toc"')
    requirements, utility = rest.split('id="requirements"')[1].split("</section>")[0], rest.split('id="utility"')[1]
    folds = rest.split('id="steps"')[1].split("</summary>")
    for brief, full in zip(BRIEF[language], FULL[language], strict=True):
        assert said(answer, full, language) == 1
        assert said(requirements, brief, language) == 2
        assert said(utility.split("<details")[0], full, language) == 1
        assert sum(said(summary.rpartition("<summary>")[2], brief, language) for summary in folds) >= 5


@pytest.mark.parametrize("evaluation", [EVALUATION, EVALUATION.guarded(), PUBLIC])
def test_json_has_it_twice(evaluation):
    document = json.loads(evaluation.to_json())
    kinds = [note["kind"] for note in document["warnings"]]
    assert kinds == ["unexplained", "displaced"]
    by_measure = {one["measure"]: [note for note in one["notes"] if note["warning"]] for one in document["results"]}
    assert by_measure == {
        "Precision": document["warnings"],
        "granularity": document["warnings"],
        "sample uniqueness": [],
    }
    assert document["warnings"][0]["figures"]["by_column"].keys() == ORIGINAL.keys()


def test_junit_has_it_with_its_case():
    suite = fromstring(evaluation_junit(EVALUATION)).findall("testsuite")[-1]  # noqa: S314 (our own)
    told = {case.get("name"): case.findtext("system-out") for case in suite.findall("testcase")}
    assert told["Precision"].count("Warning: ") == 2
    assert told["sample uniqueness"] is None


def test_nothing_is_told_where_all_is_explained():
    right = pw.Release(ORIGINAL, original=ORIGINAL).check(*MEASURES)
    assert right.warnings == ()
    assert "Warning" not in write_check(right) + evaluation_markdown(right) + evaluation_junit(right)
    assert 'class="warning"' not in right.to_html()
