"""The screen of requirements: every parameter that a measure declares is a field, and every field is in the policy."""

import time
import tomllib

import pytest
from markupsafe import escape

import PETWorks as pw
from app.running import inside
from PETWorks import Policy
from support.output import words
from support.parameters import find_parameters

PEOPLE = {
    "year": ["1970", "1971", "1980", "1981"] * 15,
    "sex": ["f", "m"] * 30,
    "disease": ["flu", "cold", "asthma"] * 20,
    "club": ["a", "b", "c", "d", "e"] * 12,
}
POLICY = """
version = 1
title = "people"
[data]
original = "people.csv"
released = "released.csv"
[roles]
quasi_identifiers = ["year", "sex"]
sensitive = ["disease"]
insensitive = ["club"]
[hierarchies.year]
prefixes = [3]
"""
K = '[[require]]\nmeasure = "k-anonymity"\nk = 5\n'
T = '[[require]]\nmeasure = "t-closeness"\nt = 0.3\nwhy = "the board"\n'


def project(tmp_path, more=""):
    rows = [",".join(PEOPLE), *map(",".join, zip(*PEOPLE.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY + more, encoding="utf-8")
    return tmp_path / "policy.toml"


@pytest.fixture
def started(tmp_path):
    """Start the application with a policy that has these requirements besides."""
    opened = []

    def start(more="", language="en"):
        context = inside(tmp_path, project(tmp_path, more), language)
        opened.append(context)
        return context.__enter__()

    yield start
    for context in opened:
        context.__exit__(None, None, None)


def policy(app):
    return tomllib.loads((app.running.session.folder / "policy.toml").read_text("utf-8"), parse_float=str)


def send(app, path, fragments=False, **fields):  # noqa: FBT002
    return app.post(f"/requirements{path}", revision=app.get("/requirements").revision, fragments=fragments, **fields)


def measured(app, seconds=30):
    """Return the page when what the original has is known."""
    end = time.monotonic() + seconds
    while "data-poll" in (page := app.get("/requirements"))["answer"].attributes:
        assert time.monotonic() < end
        time.sleep(0.02)
    return page


def values(page, name):
    """Return the values of the fields with a name."""
    return [one.get("value") for one in page.markup.all("input") if one.get("name") == name]


def test_nothing_is_asked_at_first(started):
    page = started().get("/requirements")
    assert page.h1 == "No requirement is set yet"
    assert "Waits for the first requirement." in page["foot"].text
    assert len([one for one in page.markup.all("form") if one.get("action") == "/requirements/template"]) == 8


@pytest.mark.parametrize(("language", "first"), [("en", "cms-11"), ("zh_TW", "tw-public")])
def test_templates_of_taiwan_stand_first_in_chinese(started, language, first):
    page = started(language=language).get("/requirements")
    assert values(page, "template")[0] == first


@pytest.mark.parametrize(("typed", "written"), [("9%", "0.09"), ("９ ％", "0.09"), ("0.5%", "0.005"), ("０.3", "0.3")])
def test_a_number_may_be_typed_in_percent_and_in_wide_digits(started, typed, written):
    app = started(T)
    send(app, "/1", p_t=typed, why="the board")
    assert policy(app)["require"][0]["t"] == written


def test_a_template_sets_what_its_source_says_and_leaves_the_rest_open(started):
    app = started()
    send(app, "/template", template="ipc-ontario-2025")
    content = policy(app)
    assert [one["measure"] for one in content["require"]] == ["k-anonymity", "t-closeness"]
    assert {content["require"][0]["k"], content["require"][1]["t"]} == {"fill in"}
    assert len(content["not_shown"]) == 3
    page = app.get("/requirements")
    assert page.h1 == "Your number is missing in 2 of 2 requirements"
    assert values(page, "p_k") == [""]  # an open field, not a default
    assert "11 if an invasion of privacy would be low" in page["requirement-1"].text
    assert "De-Identification Guidelines" in page["requirement-1"].text
    assert page["foot"].all("a")[1].get("aria-disabled") == "true"
    send(app, "/1", p_k="11", source="me")
    assert policy(app)["require"][0] == {"measure": "k-anonymity", "k": 11, "source": "me"}


@pytest.mark.parametrize("name", pw.templates())
@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_template_can_be_shown_and_filled_in(started, name, language):
    app = started(language=language)
    page = app.follow(send(app, "/template", template=name))
    asked = pw.templates()[name].asked
    assert len([one for one in page.markup.ids if one.startswith("requirement-")]) == len(asked)
    known = policy(app)["require"]
    assert [one["measure"] for one in known] == [one.content["measure"] for one in asked]


@pytest.mark.parametrize("kind", pw.measures().values(), ids=lambda kind: kind.__name__)
def test_every_measure_is_offered_with_all_its_parameters(started, kind):
    app = started()
    page = app.get("/requirements")
    offered = [
        one for one in page.markup.all("input") if one.get("name") == "measure" and one.get("value") == kind.name
    ]
    assert len(offered) == 1
    entry = offered[0].parent
    title = kind.words["en"].title
    assert entry.text.casefold().startswith(title.casefold())
    if not entry.all("button"):
        assert "cannot be asked" in entry.text
        return
    page = app.follow(send(app, "/add", measure=kind.name))
    fields = {one.get("name") for one in page["requirement-1"].walk()}
    for name, parameter in find_parameters(kind).items():
        if parameter.kind == "model":  # code is named in Python only
            continue
        assert (f"p_{name}_name" if parameter.kind == "table" else f"p_{name}") in fields
    assert page.h1 == "Your number is missing in 1 of 1 requirement"


def test_what_cannot_be_asked_says_why(started):
    page = started().get("/requirements")
    by_name = {one.first("b").text: one.text for one in page["add"].all("li")}
    assert "Python function" in by_name["Utility bias"]
    assert "table of the population" in by_name["k-map"]
    assert "no limit" in by_name["Class sizes"]
    assert "sampling weights" in by_name["Individual risk"]
    assert "cannot be asked" not in by_name["t-closeness"]


def test_a_limit_is_a_sentence_with_the_number_of_who_asks(started):
    app = started(K)
    page = measured(app)
    assert "at least 5 people share all quasi-identifiers" in page["requirement-1"].text
    send(app, "/1", p_k="7", why="section 3", source="the agreement", clause="3")
    assert policy(app)["require"] == [
        {"measure": "k-anonymity", "k": 7, "why": "section 3", "source": "the agreement", "clause": "3"}
    ]
    assert "at least 7 people" in app.get("/requirements")["requirement-1"].text


def test_the_original_is_measured_by_the_library(started):
    page = measured(started(K + T))
    release = pw.Release(PEOPLE, original=PEOPLE, quasi_identifiers=["year", "sex"], sensitive=["disease"])
    k, t = release.check(pw.KAnonymity(5), pw.TCloseness("0.3"))
    assert f"original: {k.value:.0f}" in page["now-1"].text
    assert page["now-1"].first("span").get("class") == "badge holds"
    assert (t.holds, page["now-2"].first("span").get("class")) == (True, "badge holds")
    assert page.h1 == "2 requirements are set; the original meets all of them"


def test_the_original_that_fails_is_told_with_people(started):
    page = measured(started(K.replace("5", "20")))
    assert page.h1 == "1 requirement is set; the original meets none"
    assert "original: 15" in page["now-1"].text
    assert "60 people" in page["now-1"].text


@pytest.mark.parametrize(("typed", "told"), [
    ("1.2", "t is a distance between 0 and 1."),
    ("-1", "t is a distance between 0 and 1."),
    ("much", "t is a distance"),
])  # fmt: skip
def test_what_is_wrong_stands_beside_its_field(started, typed, told):
    app = started(T)
    answer = send(app, "/1", p_t=typed, p_distance="auto")
    assert answer.status == 422
    field = next(one for one in answer.markup.all("input") if one.get("name") == "p_t")
    assert (field.get("value"), field.get("aria-invalid")) == (typed, "true")
    assert told in answer[field.get("aria-describedby")].text
    assert "what was set before still holds" in answer["requirement-1"].text
    assert policy(app)["require"][0]["t"] == "0.3"


def test_zero_people_are_no_class(started):
    app = started(K)
    answer = send(app, "/1", fragments=True, p_k="0")
    assert answer.status == 200
    assert "k is a number of people: a whole number, at least 1." in answer["requirement-1"].text
    assert policy(app)["require"][0]["k"] == 5


def test_no_limit_at_all_is_told(started):
    app = started('[[require]]\nmeasure = "re-identification"\nhighest = 0.2\n')
    answer = send(app, "/1", p_highest="", p_threshold="1/5")
    assert "Set at least one limit." in answer["requirement-1"].text
    assert policy(app)["require"][0]["highest"] == "0.2"


def test_a_limit_written_with_its_side_is_a_number(started):
    app = started('[[require]]\nmeasure = "re-identification"\naverage = { at_most = 0.05 }\n')
    assert values(app.get("/requirements"), "p_average") == ["0.05"]
    send(app, "/1", p_average="0.04", p_threshold="1/5")
    assert policy(app)["require"] == [{"measure": "re-identification", "average": "0.04"}]


def test_chances_of_attempts_are_typed_one_by_one(started):
    app = started()
    send(app, "/template", template="tw-research")
    page = app.get("/requirements")
    assert values(page, "p_attempts_name")[:3] == ["insider", "breach", ""]
    fields = [("revision", page.revision), ("p_attempts_name", "insider"), ("p_attempts_number", "0.05")]
    fields += [("p_attempts_name", "breach"), ("p_attempts_number", "")]
    fields += [("p_risk", "highest"), ("p_adversary", "prosecutor"), ("p_limit", "0.33"), ("p_combine", "largest")]
    answer = app.post("/requirements/1", fields)
    known = policy(app)["require"][0]
    assert known["attempts"] == {"insider": "0.05", "breach": "fill in"}
    assert app.follow(answer).h1 == "Your number is missing in 1 of 1 requirement"


def test_a_changed_limit_asks_for_a_reason_once_somebody_has_explored(started):
    levels = "[anonymize.levels]\nyear = 1\nsex = 0\n"
    app = started(T + levels)
    answer = send(app, "/1", p_t="0.5", p_distance="auto", why="the board")
    assert answer.status == 422
    assert "You have explored since this limit was set" in answer["requirement-1"].text
    assert policy(app)["require"][0]["t"] == "0.3"
    send(app, "/1", p_t="0.5", p_distance="auto", why="the board", reason="first release")
    known = policy(app)["require"][0]
    assert (known["t"], known["changed"]) == ("0.5", [{"t": "0.3", "why": "first release"}])
    assert "t 0.3 → 0.5: first release" in app.get("/requirements")["requirement-1"].text
    recipe = Policy(app.running.session.project.path, purpose="anonymize")
    assert recipe.requirements[0].why == "the board; t 0.3 → 0.5: first release"


def test_before_exploring_a_limit_may_be_changed_freely(started):
    app = started(T)
    send(app, "/1", p_t="0.5", p_distance="auto")
    assert "changed" not in policy(app)["require"][0]


def test_requirements_that_contradict_are_both_marked(started):
    app = started(
        '[[require]]\nmeasure = "k-anonymity"\nk = 20\n[[require]]\nmeasure = "granularity"\nat_least = 0.99\n'
    )
    page = measured(app)
    assert "Contradicts Granularity" in page["marks-1"].text
    assert "Contradicts k-anonymity" in page["marks-2"].text
    best = pw.anonymize(app.running.session.table.given, quasi_identifiers=["year", "sex"], sensitive=["disease"],
                        the_rest="insensitive", hierarchies=[pw.Hierarchy.prefixes("year", [3])],
                        goals=pw.KAnonymity(20))  # fmt: skip
    assert f"at most {best.utility.value:.4f}" in page["marks-1"].text


def test_a_requirement_is_removed_and_undone(started):
    app = started(K + T)
    send(app, "/1/remove")
    assert [one["measure"] for one in policy(app)["require"]] == ["t-closeness"]
    app.post("/undo", revision=app.get("/requirements").revision)
    assert [one["measure"] for one in policy(app)["require"]] == ["k-anonymity", "t-closeness"]


def test_a_requirement_that_is_not_there_is_refused(started):
    app = started(K)
    assert send(app, "/2", p_k="3").status == 400
    assert send(app, "/0/remove").status == 400
    assert send(app, "/add", measure="k-anonimity").status == 422
    assert send(app, "/template", template="wp217").status == 422
    assert app.post("/requirements/1", revision="0.00", p_k="3").status == 409
    assert policy(app)["require"] == [{"measure": "k-anonymity", "k": 5}]


def test_fragments_are_the_parts_that_changed(started):
    app = started(K)
    answer = send(app, "/1", fragments=True, p_k="7")
    assert {"answer", "templates", "list", "foot", "steps", "dock"} <= set(answer.markup.ids)
    assert values(answer, "p_k") == ["7"]


def test_what_was_typed_is_escaped(started):
    app, hostile = started(K), "<script>alert(1)</script>"
    send(app, "/1", p_k="5", why=hostile)
    page = app.get("/requirements")
    assert values(page, "why") == [hostile]
    assert page.markup.all("script") == [one for one in page.markup.all("script") if one.get("src")]


def test_a_measure_that_is_not_installed_is_told(started):
    page = started('[[require]]\nmeasure = "k-anonymitee"\nk = 5\n').get("/requirements")
    assert "cannot be asked" in page["requirement-1"].text


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_measure_that_can_be_required_has_its_sentence(language):
    known = words(language).app
    for kind in pw.measures().values():
        sided = [name for name, one in find_parameters(kind).items() if one.side and name != "at_least"]
        for name in sided if not any(one.kind == "function" for one in find_parameters(kind).values()) else []:
            assert f"{{{name}}}" in known[f"requirements_asks_{kind.__name__}_{name}"]


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_every_limit_and_every_word_has_a_name_that_people_know(language):
    known = words(language).app
    for kind in pw.measures().values():
        own = kind.words[language]
        for name, one in find_parameters(kind).items():
            told = len(name) == 1 or name in own.parts or f"requirements_name_{name}" in known
            assert one.side is None or told or name == one.side.replace(" ", "_"), (kind, name)
            for word in one.words:
                assert word in own.terms or f"requirements_word_{word}" in known, (kind, name, word)


def test_only_the_template_that_is_used_is_marked(started):
    app = started(language="zh_TW")
    for name in ("tw-public", "tw-research"):
        send(app, "/template", template=name)
        page = app.get("/requirements")
        used = [one for one in page["templates"].all("li") if "使用中" in one.text]
        assert [words("zh_TW").app[f"requirements_template_{name}"] in one.text for one in used] == [True]
        assert words("zh_TW").app[f"requirements_template_{name}"] in page["dock"].text
        numbers = dict(zip(values(page, "p_attempts_name"), values(page, "p_attempts_number"), strict=True))
        assert (
            numbers
            == {"tw-public": {"public": "1", "": ""}, "tw-research": {"insider": "", "breach": "", "": ""}}[name]
        )
    send(app, "/template", template="tw-public")
    send(
        app,
        "/1",
        p_attempts_name="public",
        p_attempts_number="1",
        p_risk="highest",
        p_adversary="prosecutor",
        p_limit="0.1",
    )
    assert policy(app)["require"][0]["attempts"] == "public"
    page = measured(app)
    assert "公開發布=1" in page["now-1"].text.replace("＝", "=")
    assert "機率 至多" in page["requirement-1"].text
    assert "情境風險" in page["dock"].text


def test_what_the_original_has_is_told_for_each_sensitive_attribute_by_name(tmp_path, started):
    l_diversity = '[[require]]\nmeasure = "l-diversity"\nl = 2\n'
    app = started(l_diversity)
    assert "disease" not in measured(app)["now-1"].text
    text = (tmp_path / "policy.toml").read_text("utf-8")
    both = text.replace('["disease"]', '["disease", "club"]').replace('insensitive = ["club"]', "")
    (tmp_path / "policy.toml").write_text(both, encoding="utf-8")
    assert ["disease" in (told := measured(app)["now-1"].text), "club" in told] == [True, True]
    send(app, "/1", p_l="2", p_sensitive="club")
    assert measured(app)["r1"].text == "l-diversity, club"


LEVELS = "[anonymize.levels]\nyear = 1\nsex = 0\n"
REASON = "the board decided on 3 May that this table goes to <our own> researchers only, who have signed a contract"


def outputs(app):
    """Return what the command line tells of the release that the policy makes, and its report."""
    made = Policy(app.running.session.project.path, purpose="anonymize")
    judged = made.judge(made.anonymize().write(app.running.session.folder / "released.csv"))
    return judged.text().replace("\n", " "), judged.to_html()


def test_a_requirement_is_removed_after_exploring_only_with_a_reason_that_every_output_tells(started):
    app = started(T + '[[require]]\nmeasure = "k-anonymity"\nk = 2\n' + LEVELS)
    answer = send(app, "/1/remove")
    assert answer.status == 422
    assert "leave-1" in answer.markup.ids
    assert "leave-1" in send(app, "/1/remove", fragments=True).markup.ids
    assert len(policy(app)["require"]) == 2
    send(app, "/1/remove", reason=REASON)
    assert policy(app)["removed"] == [{"measure": "t-closeness", "t": "0.3", "why": REASON}]
    assert "Removed after exploring: t-closeness (t 0.3)" in app.get("/requirements")["list"].text
    send(app, "/add", measure="t-closeness")  # and comes back weaker
    send(app, "/2", p_t="0.9", p_distance="auto")
    for told in outputs(app):
        assert "t-closeness (t 0.3)" in told
        assert escape(REASON) in told or REASON in told


def test_a_template_that_takes_the_place_of_requirements_asks_too(started):
    app = started(T + LEVELS)
    answer = send(app, "/template", template="tw-public")
    assert answer.status == 422
    assert "leave-tw-public" in answer.markup.ids
    assert [one["measure"] for one in policy(app)["require"]] == ["t-closeness"]
    send(app, "/template", template="tw-public", reason="public after all")
    assert policy(app)["removed"][0]["why"] == "public after all"


def test_what_a_requirement_is_restricted_to_is_a_change_as_well(started):
    app = started('[[require]]\nmeasure = "l-diversity"\nl = 2\n' + LEVELS)
    fields = {"p_l": "2", "p_variant": "distinct", "p_c": ""}
    assert send(app, "/1", **fields, p_sensitive="disease").status == 422
    assert send(app, "/1", **fields, p_sensitive="disease", reason="only this one").status == 303
    known = policy(app)["require"][0]
    assert (known["sensitive"], known["changed"]) == ("disease", [{"sensitive": "", "why": "only this one"}])
    assert "sensitive – → disease" in Policy(app.running.session.project.path, purpose="anonymize").requirements[0].why


def test_a_search_in_vain_has_shown_what_the_limits_cost(started):
    app = started('[[require]]\nmeasure = "l-diversity"\nl = 50\n')
    app.until("/explore", "blamed")
    assert send(app, "/1", p_l="2", p_variant="distinct", p_c="", p_sensitive="").status == 422
    assert send(app, "/1/remove").status == 422


def test_before_exploring_and_while_it_is_open_a_requirement_may_be_removed(started):
    app = started(T)
    assert send(app, "/1/remove").status == 303
    assert "removed" not in policy(app)
    app.post("/undo", revision=app.get("/requirements").revision)
    send(app, "/add", measure="k-anonymity")
    assert send(app, "/2/remove").status == 303
