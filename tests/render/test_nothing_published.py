"""Where every row is suppressed, no requirement has a tick: nothing was published, which is said first."""

import pytest

import PETWorks as pw
from support.output import LANGUAGES, evaluation_junit, evaluation_markdown, words, write_check

NOTHING = {"en": "All 6 rows are suppressed: nothing is published", "zh_TW": "全部 6 列皆遭整列遮蔽"}


@pytest.fixture(scope="module")
def evaluation():
    table = {"age": ["*"] * 6, "ill": ["flu", "gout"] * 3}
    return pw.Release(table, quasi_identifiers=["age"], sensitive=["ill"]).check(pw.KAnonymity(5), pw.LDiversity(2))


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_and_markdown(evaluation, language):
    holds = words(language).command["holds"]
    text = write_check(evaluation.guarded(), language)
    assert text.startswith(NOTHING[language])
    assert not any(line.startswith(f"{holds} ") for line in text.splitlines())
    assert words(language).command["answer_holds"].format(all=2) not in text
    markdown = evaluation_markdown(evaluation.guarded(), language)
    assert markdown.startswith(f"**{NOTHING[language]}")
    assert f"**{holds}**" not in markdown


def test_pages_and_test_cases(evaluation):
    page = evaluation.to_html()
    assert (
        'class="badge holds"'
        not in page[page.index('id="requirements"') : page.index("</section>", page.index('id="requirements"'))]
    )
    assert '<section class="answer na">' in page
    assert evaluation_junit(evaluation.guarded()).count('<skipped message="All rows are suppressed') == 2
