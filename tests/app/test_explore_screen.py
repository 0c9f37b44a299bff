"""Explore: what it shows is what the library gives, and everything that is clicked is text that gives the same."""

import os
import random
import signal
import time
import tomllib
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest

from app.running import inside as application
from app.running import process
from PETWorks import Policy
from PETWorks.anonymization.exploration import NodeFigures, find_best, find_fewest_suppressed, select_inside
from PETWorks.app.screens.explore.answer import ExploreAnswer
from PETWorks.app.screens.explore.plot import may_be_shown
from PETWorks.app.screens.explore.state import PENDING_SEARCH
from PETWorks.errors import GoalError

AGES = {str(age): [f"{age // 10 * 10}s", "young" if age < 40 else "old"] for age in range(20, 60)}
POLICY = """
version = 1
title = "people"
[data]
original = "people.csv"
released = "released.csv"
hierarchies = "hierarchies"
[roles]
quasi_identifiers = ["age", "<script>alert(1)</script>", "place"]
sensitive = ["ill"]
"""
K = '[[require]]\nmeasure = "k-anonymity"\nk = {k}\n'
L = '[[require]]\nmeasure = "l-diversity"\nl = 2\n'
MAKING = '[anonymize]\nsuppress_at_most = "{limit}"\n'
HOSTILE = "<script>alert(1)</script>"


def project(tmp_path, more, rows=240, old=None):
    """Write the table and its policy; with `old`, only so many people are 40 or older."""
    chance = random.Random(7)
    ages = [str(chance.randrange(20, 60)) for _ in range(rows)]
    if old is not None:
        ages = [str(40 + row if row < old else 20 + int(age) % 20) for row, age in enumerate(ages)]
    people = {
        "age": ages,
        HOSTILE: [chance.choice("fm") for _ in range(rows)],
        "place": [chance.choice(["Ulm", "Ulm", "Ulm", "Bern", "<i>Como</i>"]) for _ in range(rows)],
        "ill": [chance.choice(["flu", "cold", "cough", "gout"]) for _ in range(rows)],
    }
    lines = [",".join(people), *map(",".join, zip(*people.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    folder = tmp_path / "hierarchies"
    folder.mkdir()
    trees = {
        "age": [";".join([age, *ups, "*"]) for age, ups in AGES.items()],
        "place": ["Ulm;north;*", "Bern;south;*", "<i>Como</i>;south;*"],
    }
    for name, tree in trees.items():
        (folder / f"people_hierarchy_{name}.csv").write_text("\n".join(tree) + "\n", encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY + more, encoding="utf-8")
    return tmp_path / "policy.toml"


@pytest.fixture
def started(tmp_path):
    opened = []

    def start(more=K.format(k=5) + L + MAKING.format(limit="5%"), language="en", old=None):
        context = application(tmp_path, project(tmp_path, more, old=old), language)
        app = context.__enter__()
        opened.append((context, app))
        return app

    yield start
    for context, app in opened:
        if app.running.session and (held := app.running.session.get_cached(PENDING_SEARCH)):
            held.close()
        context.__exit__(None, None, None)


def settled(app, seconds=60):
    """Return the page when nothing runs any more."""
    end = time.monotonic() + seconds
    while "search" not in (page := app.get("/explore")).markup.ids or "data-poll" in page["search"].attributes:
        assert time.monotonic() < end, page.text[-2000:]
        time.sleep(0.05)
    return page


def policy(app):
    return tomllib.loads((app.running.session.folder / "policy.toml").read_text("utf-8"), parse_float=str)


def made(app):
    """Make the release that the policy on disk says, as the command does."""
    return Policy(app.running.session.folder / "policy.toml", purpose="anonymize").anonymize()


def send(app, path, fragments=False, **fields):  # noqa: FBT002
    return app.post(path, revision=app.get("/explore").revision, fragments=fragments, **fields)


def exploration(app):
    return app.running.session.get_cached(PENDING_SEARCH).helper._exploration


def number(app, name):
    return app.running.session.columns.index(name) + 1


def test_opens_with_the_best_and_its_proof(started):
    app = started()
    page = settled(app)
    found = made(app)
    assert page.h1 == f"All 2 requirements hold with {found.suppressed} people suppressed"
    assert policy(app)["anonymize"]["levels"] == found.levels
    assert "Proven best" in page["search"].text
    sums = [int(row.all("td")[0].text.replace(",", "")) for row in page["search"].all("tr")]
    assert sum(sums[:-1]) == sums[-1] == exploration(app).vectors == 4 * 2 * 3
    pinned = {one["name"]: one["levels"] for one in policy(app)["anonymize"]["pinned"]}
    assert pinned["A"] == found.levels
    tops = dict(zip(exploration(app).names, exploration(app).heights, strict=True))
    if any(level == tops[name] for name, level in found.levels.items()):
        assert all(level < tops[name] for name, level in pinned["B"].items())
    every = exploration(app).list_evaluated()
    assert len(every) == exploration(app).vectors
    assert find_best(every, 12).levels == tuple(found.levels.values())


def test_a_step_is_text_and_gives_what_the_command_gives(started):
    app = started()
    settled(app)
    for levels in ((2, 0, 0), (3, 0, 1), (2, 1, 0), (1, 1, 2)):
        fields = {
            f"level-{number(app, name)}": str(one) for name, one in zip(exploration(app).names, levels, strict=True)
        }
        answer = send(app, "/explore/levels", fragments=True, **fields)
        assert answer.status == 200
        assert {"answer", "strips", "current", "pins", "figures", "dock"} <= set(answer.markup.ids)
        weighed = exploration(app).evaluate(levels)
        assert policy(app)["anonymize"]["levels"] == dict(zip(exploration(app).names, levels, strict=True))
        if weighed.suppressed <= 12:
            assert made(app).suppressed == weighed.suppressed
            assert made(app).utility.value == pytest.approx(weighed.score)
            assert "hold" in answer.h1
        else:
            assert answer.h1 == f"{weighed.suppressed} people would have to be suppressed; you allow 12"
        for place, column in enumerate(exploration(app).evaluate_steps(levels)):
            strip = answer[f"column-{number(app, exploration(app).names[place])}"]
            scores = [one.text for one in strip.all("small")]
            assert scores == [f"{one.score:.4f}" for one in column]
            over = ["over" in one.attributes["class"] for one in strip.all("label") if "cell" in one.get("class", "")]
            assert over == [one.suppressed > 12 for one in column]


def test_a_step_with_one_value_says_which(tmp_path, started):
    app = started()
    tree = tmp_path / "hierarchies" / "people_hierarchy_place.csv"
    tree.write_text("Ulm;Europe;*\nBern;Europe;*\n<i>Como</i>;Europe;*\n", encoding="utf-8")
    strip = settled(app)[f"column-{number(app, 'place')}"]
    labels = [one.text for one in strip.all("span") if one.get("class") == "v"]
    assert labels == ["3 values", "Europe", "*"]


def test_a_step_works_without_script(started):
    app = started()
    page = settled(app)
    answer = app.post("/explore/levels", revision=page.revision, **{f"level-{number(app, 'age')}": "3"})
    assert answer.status == 303
    assert "checked" in app.follow(answer)[f"level-{number(app, 'age')}-3"].attributes


def test_a_stale_form_changes_nothing(started):
    app = started()
    page = settled(app)
    send(app, "/explore/levels", **{f"level-{number(app, 'age')}": "3"})
    before = policy(app)
    assert app.post("/explore/levels", revision=page.revision, **{f"level-{number(app, 'age')}": "2"}).status == 409
    assert policy(app) == before


@pytest.mark.parametrize(
    ("given", "written", "allowed"), [("10", "10%", 24), ("0", "0%", 0), ("2.5", "2.5%", 6), (" 7 % ", "7%", 16)]
)
def test_the_limit_is_a_field(started, given, written, allowed):
    app = started()
    settled(app)
    answer = send(app, "/explore/limit", fragments=True, limit=given, slider="5", shown="5")
    assert policy(app)["anonymize"]["suppress_at_most"] == written
    assert f"at most {allowed} people" in answer["limit-told"].text
    assert "slider" in answer.markup.ids  # moves with the field
    by_slider = send(app, "/explore/limit", fragments=True, limit=given, slider="3.1", shown="5")
    assert policy(app)["anonymize"]["suppress_at_most"] == "3.1%"
    assert "slider" not in by_slider.markup.ids  # somebody holds it


def test_limits_and_levels_that_do_not_exist_are_refused(started):
    app = started()
    settled(app)
    before = policy(app)
    for given in ("", "-1", "101", "nan", "1e400", "five", "1/0"):
        assert send(app, "/explore/limit", limit=given, slider="5", shown="5").status == 400, given
    for given in ("1.1", "9.0.0", "a.b.c", "1.1.1.1", "", "-1.0.0", "٣.0.0"):
        assert send(app, "/explore/look", levels=given).status == 400, given
    assert policy(app) == before


def test_the_curve_tells_the_best_at_each_limit(started):
    app = started()
    page = settled(app)
    every = exploration(app).list_evaluated()
    for row in page["limits"].all("tr")[1:]:
        rate, score = row.all("th")[0].text.rstrip("%"), row.all("td")[0].text
        found = find_best(every, int(Fraction(rate) * 240 / 100))
        assert score == ("–" if found is None else f"{found.score:.4f}")


def test_a_column_that_may_not_become_coarser_bounds_the_search(started):
    app = started()
    settled(app)
    send(app, "/explore/look", levels="1.0.0")
    levels = {
        f"level-{number(app, name)}": str(one) for name, one in zip(exploration(app).names, (1, 0, 0), strict=True)
    }
    send(app, "/explore/levels", **levels, **{f"coarsest-{number(app, 'age')}": "1"})
    assert policy(app)["anonymize"]["coarsest"] == {"age": 1}
    send(app, "/explore/search", do="start")
    page = settled(app)
    ranges = [range(2), range(2), range(3)]
    expected = find_best(select_inside(exploration(app).list_evaluated(), ranges), 12)
    if expected is None:
        assert page.h1 == "None of 12 combinations holds"
        assert page["remedy-1"]
    else:
        assert tuple(policy(app)["anonymize"]["levels"].values()) == expected.levels


def test_bounds_are_ticked_and_lifted(started):
    app = started()
    settled(app)
    send(app, "/explore/look", levels="2.1.1")
    column = number(app, "age")
    levels = {
        f"level-{number(app, name)}": str(one) for name, one in zip(exploration(app).names, (2, 1, 1), strict=True)
    }
    send(app, "/explore/levels", **levels, **{f"coarsest-{column}": "1", f"finest-{column}": "1"})
    assert policy(app)["anonymize"]["coarsest"] == policy(app)["anonymize"]["finest"] == {"age": 2}
    # both boxes stay ticked on the page; a finer step breaks one bound, which is lifted
    ticked = {f"coarsest-{column}": "1", f"finest-{column}": "1"}
    answer = send(app, "/explore/levels", fragments=True, **{**levels, f"level-{column}": "1"}, **ticked)
    assert policy(app)["anonymize"]["coarsest"] == {"age": 2}
    assert "finest" not in policy(app)["anonymize"]
    assert "not coarser than level 2" in answer[f"column-{column}"].text
    assert "checked" in answer[f"coarsest-{column}"].attributes
    # without script, a level and another column's bound are sent together
    place = number(app, "place")
    send(
        app,
        "/explore/levels",
        **{**levels, f"level-{column}": "0"},
        **{f"coarsest-{place}": "1", f"coarsest-{column}": "1"},
    )
    assert policy(app)["anonymize"]["coarsest"] == {"age": 2, "place": 1}
    send(app, "/explore/levels", **{**levels, f"level-{column}": "0"}, **{f"coarsest-{place}": "1"})
    assert policy(app)["anonymize"]["coarsest"] == {"place": 1}


def test_nothing_holds_and_what_would_do(started):
    more = K.format(k=5) + MAKING.format(limit="0%") + "[anonymize.coarsest]\nage = 0\nplace = 0\n"
    app = started(more)
    page = settled(app)
    assert page.h1 == "None of 2 combinations holds"
    nearest = find_fewest_suppressed(select_inside(exploration(app).list_evaluated(), [range(1), range(2), range(1)]))
    assert f"level-{number(app, 'age')}-0" in [
        one.get("id") for one in page.markup.all("input") if "checked" in one.attributes
    ]
    assert f"{nearest.suppressed:,}" in page["answer"].text
    assert "levels" not in policy(app)["anonymize"]  # it is looked at, and not chosen
    texts = [one.text for one in page["search"].all("li")]
    assert len(texts) >= 2
    forms = page["search"].all("form")
    limit = next(one for one in forms if one.get("action") == "/explore/limit")
    fields = {one.get("name"): one.get("value") for one in limit.all("input")}
    answer = app.post("/explore/limit", **fields)
    page = app.follow(answer)
    assert "hold" in page.h1
    assert made(app).levels == policy(app)["anonymize"]["levels"]


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_where_columns_are_gone_the_trade_stands_at_the_top(started, language):
    app = started(K.format(k=6) + MAKING.format(limit="0%"), language, old=11)
    page = settled(app)
    heights, rows = exploration(app).heights, exploration(app).table.rows

    def gone(one):
        return sum(level == top for level, top in zip(one.levels, heights, strict=True) if top)

    known = exploration(app).list_evaluated()
    now = find_best(known, 0)
    within = [one for one in known if one.holds and 5 <= one.suppressed <= rows * 5 // 100 and one.lost < now.lost]
    fewest = min(map(gone, within))
    assert fewest < gone(now)
    text = page["trades"].all("li")[0].text
    assert "0%: 1 column is gone" in text or "0%：1 欄整欄成為 *" in text
    form = page["trades"].all("form")[0]
    fields = {one.get("name"): one.get("value") for one in form.all("input")}
    assert fields["limit"] + "%" in text
    page = app.follow(app.post("/explore/limit", **fields))
    taken = made(app)
    assert policy(app)["anonymize"]["levels"] == taken.levels
    chosen = exploration(app).evaluate(tuple(taken.levels.values()))
    assert gone(chosen) == fewest
    assert chosen.suppressed <= float(fields["limit"]) / 100 * rows
    assert f"{chosen.score:.2f}" in text
    assert f"{now.score:.2f}" in text


def test_no_trade_where_no_column_is_gone(started):
    app = started(K.format(k=2) + MAKING.format(limit="40%"))
    assert "trades" not in settled(app).markup.ids


def test_columns_that_lose_values_by_suppression(started):
    app = started(K.format(k=60) + MAKING.format(limit="100%"))
    settled(app)
    send(
        app,
        "/explore/look",
        levels=".".join(
            "0" if name == "place" else str(top)
            for name, top in zip(exploration(app).names, exploration(app).heights, strict=True)
        ),
    )
    preview = exploration(app).preview(tuple(policy(app)["anonymize"]["levels"].values()))
    single, vanished = preview.find_emptied(5)
    labels, (before, after) = preview.labels["place"], preview.rows_by_label["place"]
    assert [name for name, left in zip(labels, after, strict=True) if left] == ["Ulm"]
    assert (single, vanished) == (("place",), ())
    assert "After suppression, one value is left in the whole column: place" in app.get("/explore")["answer"].text
    assert preview.find_emptied(int(before.max()) + 1) == ((), ())


def test_pins(started):
    app = started()
    settled(app)
    before = len(policy(app)["anonymize"]["pinned"])
    for levels in ("3.1.0", "3.1.1", "3.0.1", "2.1.1", "2.1.2"):
        send(app, "/explore/look", levels=levels)
        send(app, "/pins")
    page = app.get("/explore")
    assert [one["name"] for one in policy(app)["anonymize"]["pinned"]] == list("ABCD")
    assert before < 4
    assert "pin" not in page.markup.ids  # there is no room
    send(app, "/pins/C", do="look")
    pinned = {one["name"]: one["levels"] for one in policy(app)["anonymize"]["pinned"]}
    assert policy(app)["anonymize"]["levels"] == pinned["C"]
    send(app, "/pins/C", do="remove")
    assert [one["name"] for one in policy(app)["anonymize"]["pinned"]] == list("ABD")
    send(app, "/pins")
    assert [one["name"] for one in policy(app)["anonymize"]["pinned"]] == list("ABDC")
    assert send(app, "/pins/Z", do="look").status == 400


def test_candidates_keep_their_names_when_the_limit_changes_and_are_compared_by_them(started):
    app = started(K.format(k=5) + MAKING.format(limit="0%"))
    settled(app)
    send(app, "/explore/limit", limit="40", slider="0", shown="0")
    settled(app)
    send(app, "/explore/search", do="start")
    settled(app)
    pins = [one.get("name") for one in app.running.session.draft.pins]
    assert len(pins) > 1
    told = settled(app)["pins"].text
    assert "Best within 0%" in told
    assert "Best within 40" in told
    end = time.monotonic() + 60
    while "data-poll" in (page := app.get("/compare"))["compared"].attributes:
        assert time.monotonic() < end
        time.sleep(0.02)
    heads = [one.first("b").text for one in page.markup.first("thead").all("th")]
    assert heads[0] == "Best within 0%"
    proven = next(row for row in page.markup.all("tr") if row.text.startswith("Proven best?"))
    assert ["yes, of " in one.text for one in proven.all("td")] == [True] * len(heads)


def test_a_pin_that_does_not_fit_cannot_be_looked_at(started):
    pin = '[[anonymize.pinned]]\nname = "A"\n[anonymize.pinned.levels]\nage = 1\n'
    app = started(K.format(k=5) + MAKING.format(limit="5%") + pin)
    page = settled(app)
    assert "Does not fit any more" in page["pins"].text
    assert "look-A" not in page.markup.ids
    assert send(app, "/pins/A", do="look").status == 400
    assert send(app, "/explore/free", column="99", levels="1.1.1").status == 400


def test_local_recoding_is_text_and_gives_the_same_again(started):
    app = started()
    settled(app)
    send(app, "/explore/local")
    page = settled(app)
    making = policy(app)["anonymize"]
    assert making["recoding"] == "local"
    assert "levels" not in making
    found = made(app)
    assert str(found.suppressed) in page.h1 or not found.suppressed
    local = app.running.session.get_cached(PENDING_SEARCH).helper.local
    assert found.levels == local.levels
    assert app.running.session.get_cached(PENDING_SEARCH).helper.ceiling == pytest.approx(found.bound)
    assert "No local recoding can keep more than" in page["search"].text
    assert found.utility.value == pytest.approx(local.score)
    assert making["pinned"][-1] == {"name": making["pinned"][-1]["name"], "recoding": "local"}
    send(app, "/explore/levels", **{f"level-{number(app, 'age')}": "2"})
    assert policy(app)["anonymize"].get("recoding", "global") == "global"


def test_what_is_missing_is_said(tmp_path, started):
    app = started("")
    page = app.get("/explore")
    assert page.h1 == "First say what must hold before the table may leave"
    (tmp_path / "policy.toml").write_text(POLICY.replace(', "place"]', "]") + K.format(k=5), encoding="utf-8")
    assert app.get("/explore").h1 == "First decide what each column says about a person"


def test_levels_that_no_longer_fit_are_no_error(tmp_path, started):
    making = (
        '[anonymize]\nsuppress_at_most = "5%"\n[anonymize.levels]\nage = 9\nsize = 1\n[anonymize.coarsest]\nsize = 2\n'
    )
    app = started(K.format(k=5) + making)
    page = settled(app)
    assert "hold" in page.h1


def test_levels_of_some_columns_are_kept(started):
    app = started(K.format(k=5) + MAKING.format(limit="5%") + "[anonymize.levels]\nage = 2\n")
    expected = made(app)
    settled(app)
    making = policy(app)["anonymize"]
    assert making["levels"] == expected.levels
    assert making["coarsest"] == making["finest"] == {"age": 2}


def test_a_requirement_that_cannot_be_measured_is_told(started):
    needs = '[[require]]\nmeasure = "k-map"\nk = 3\n'
    page = started(needs + MAKING.format(limit="5%")).get("/explore")
    assert page.status == 200
    assert page.h1 == "The policy is not ready to be explored yet"
    assert "population" in page.text


def test_means_have_no_levels(started):
    page = started(K.format(k=5) + '[anonymize]\nrecoding = "microaggregate"\n').get("/explore")
    assert page.h1 == "Means of groups have no levels to explore"


@pytest.mark.parametrize("utility", ["loss", "precision", "aecs", "non-uniform entropy"])
def test_other_things_to_be_kept(started, utility):
    app = started(K.format(k=5) + MAKING.format(limit="5%") + f'utility = "{utility}"\n')
    page = settled(app)
    found = made(app)
    assert policy(app)["anonymize"]["levels"] == found.levels
    assert f"{found.worth:.4f}" in page["answer"].text


def test_hardest_hit_is_not_named_where_classes_are_small(started):
    app = started(K.format(k=2) + MAKING.format(limit="100%"))
    settled(app)
    answer = send(app, "/explore/look", fragments=True, levels="0.0.0")
    assert exploration(app).evaluate((0, 0, 0)).smallest < 5
    assert "is not told" in answer["figures"].text
    assert "of its rows are left" not in answer["figures"].text
    shown = app.get(app.post("/show-small", back="/explore").to)
    assert "of its rows are left" in shown["figures"].text or "is not told" not in shown["figures"].text


def test_names_and_values_are_escaped(started):
    page = settled(started())
    assert "<script>alert" not in page.text
    assert "<i>Como" not in page.text


@pytest.mark.parametrize("language", ["en", "zh_TW"])
def test_all_states_have_words(started, language):
    app = started(language=language)
    app.get("/explore")
    settled(app)
    for levels in ("0.0.0", "3.1.2", "2.1.1"):
        assert send(app, "/explore/look", levels=levels).status == 303
        assert app.get("/explore").status == 200
    assert app.get("/explore/search?seen=", fragments=True).status == 200
    assert app.get("/explore/prices", fragments=True).status == 200


def test_a_page_that_asks_again_hears_only_what_is_new(started):
    app = started()
    first = app.get("/explore")
    assert "data-poll" in first["search"].attributes
    page = settled(app)
    address = first["search"].attributes["data-poll"]
    news = app.get(address, fragments=True)
    assert {"answer", "strips", "plot", "dock"} <= set(news.markup.ids)
    assert news.h1 == page.h1


def test_a_search_that_was_killed_is_started_again(started):
    app = started()
    settled(app)
    helper = app.running.session.get_cached(PENDING_SEARCH).helper
    os.kill(helper._process.pid, signal.SIGKILL)
    helper._process.wait(10)
    page = settled(app)
    assert "hold" in page.h1
    assert app.running.session.get_cached(PENDING_SEARCH).helper is not helper


def test_the_process_that_searches_takes_no_module_of_the_present_folder(tmp_path, started, monkeypatch):
    (tmp_path / "numpy.py").write_text("raise SystemExit('taken over')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "hold" in settled(started()).h1


def test_the_process_that_searches_ends_with_the_application(tmp_path):
    project(tmp_path, K.format(k=5) + MAKING.format(limit="5%"))
    with process(tmp_path, cwd=tmp_path) as app:
        app.until("/explore", "strips")
        children = Path(f"/proc/{app.process.pid}/task/{app.process.pid}/children")
        if not children.exists():
            pytest.skip("this system does not list the children of a process")
        found = [
            int(one) for task in children.parent.parent.iterdir() for one in (task / "children").read_text().split()
        ]
        assert len(found) == 1
        app.process.kill()
        app.process.wait(10)
        end = time.monotonic() + 20
        while alive(found[0]):
            assert time.monotonic() < end
            time.sleep(0.05)


def alive(number):
    """Return True if a process runs; one that has ended, and that nobody has asked about, does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def blamed(page):
    return page["blamed"].text


@pytest.mark.parametrize(("language", "said"), [("en", "l-diversity is to blame"), ("zh_TW", "無法滿足的是 l-多樣性")])
def test_a_requirement_that_nothing_can_meet_is_named(started, language, said):
    app = started(K.format(k=2) + L.replace("l = 2", "l = 5") + MAKING.format(limit="5%"), language)
    app.until("/explore", "blamed")  # the column has four values
    page = settled(app)
    assert said in blamed(page)
    assert "remedy-1" not in page.markup.ids  # nothing that was weighed would do
    assert "remedy-trial" not in page.markup.ids  # nor would another way of recoding
    assert "/requirements" in [one.get("href") for one in page["search"].all("a")]
    assert "…" not in page["strips"].text  # prices are those of the nearest
    assert {"en": "none holds", "zh_TW": "皆不滿足"}[language] in page["steps"].text


def test_the_one_to_blame_is_that_of_the_command_line(started):
    app = started(K.format(k=40) + L + MAKING.format(limit="0%") + "[anonymize.coarsest]\nage = 1\nplace = 0\n")
    page = settled(app)
    with pytest.raises(GoalError) as raised:
        Policy(app.running.session.project.path, purpose="anonymize").anonymize()
    assert "k-anonymity costs most" in raised.value.hint
    alone = raised.value.hint.partition("would suppress ")[2].partition(";")[0]
    assert "k-anonymity costs most" in blamed(page)
    assert alone in blamed(page)


def test_hiding_values_covers_why_something_could_not_be_done(started):
    app = started()
    settled(app)
    app.running.session.get_cached(PENDING_SEARCH).helper.problem = "no level vector (age 2) will do"
    (told,) = [one for one in app.get("/explore")["search"].all("p") if one.get("class") == "wrong"]
    assert told.first("bdi").text == "no level vector (age 2) will do"


def test_a_requirement_on_the_whole_table_that_fails_contradicts_nothing(started):
    precision = '[[require]]\nmeasure = "Precision"\nat_least = 0.999\n'
    app = started(K.format(k=30) + precision + MAKING.format(limit="5%"))
    page = settled(app)
    assert "None of" in page.h1
    assert "Precision" in blamed(page) or "k-anonymity" in blamed(page)
    send(app, "/explore/look", levels="3.1.2")
    page = settled(app)
    assert "0%" not in page["answer"].first("p").text
    taken = [one for one in page["strips"].all("label") if any("checked" in each.attributes for each in one.walk())]
    assert [one.all("b")[0].text for one in taken] == ["fails"] * 3
    assert "a requirement fails" in page["dock"].text
    assert "over 5.0%, or fails" in page["strips"].text


def test_local_recoding_that_failed_is_told_whole_and_not_offered_again(started):
    app = started(K.format(k=14) + L + MAKING.format(limit="0%") + "[anonymize.coarsest]\nage = 1\nplace = 0\n")
    app.until("/explore", "remedy-trial")
    send(app, "/explore/local")
    page = settled(app)
    wrong = next(one.text for one in page["search"].all("p") if one.get("class") == "wrong")
    assert "no local recoding was found" in wrong
    assert "… (" not in wrong
    assert "remedy-trial" not in page.markup.ids


def another(app, page):
    """Return a combination of the front that is not the chosen one, as it stands in addresses."""
    links = [one.get("href") for one in page["plot"].all("a") if one.get("tabindex") == "-1"]
    chosen = ".".join(map(str, policy(app)["anonymize"]["levels"].values()))
    return next(one.partition("look=")[2] for one in links if not one.endswith(f"={chosen}"))


def test_a_dot_is_looked_at_and_nothing_is_chosen(started):
    app = started(K.format(k=5) + L + MAKING.format(limit="30%"))
    page, before = settled(app), policy(app)
    assert "looked" not in page.markup.ids
    levels = another(app, page)
    answer = app.get(f"/explore/plot?look={levels}", fragments=True)
    weighed = exploration(app).evaluate(tuple(map(int, levels.split("."))))
    assert f"{weighed.suppressed} people suppressed" in answer["looked"].text
    assert f"{weighed.score:.4f}" in answer["looked"].text
    assert answer["along"].attributes["data-query"] == f"?look={levels}"
    assert len([one for one in answer["plot"].all("circle") if one.get("class") == "seen"]) == 2  # the key has one
    without_script = app.get(f"/explore/plot?look={levels}")
    assert without_script.to == f"/explore?look={levels}#plot"
    page = app.get(f"/explore?look={levels}")
    assert page["looked"].text == answer["looked"].text
    assert policy(app) == before  # neither the policy nor the answer has changed
    assert page.h1 == settled(app).h1
    # the step along the front goes on from there, and not from what is chosen
    onwards = {page[name].get("href") for name in ("along-finer", "along-coarser") if name in page.markup.ids}
    assert onwards != {f"/explore/plot?look={levels}"}
    chosen = app.post("/explore/look", revision=page.revision, levels=levels, fragments=True)
    assert "looked" not in chosen.markup.ids
    assert chosen["along"].attributes["data-query"] == ""
    assert ".".join(map(str, policy(app)["anonymize"]["levels"].values())) == levels


def test_what_is_looked_at_stays_in_the_answers_to_other_forms(started):
    app = started(K.format(k=5) + L + MAKING.format(limit="30%"))
    levels = another(app, settled(app))
    news = app.get("/explore/search?seen=", fragments=True, x_query=f"?look={levels}")
    assert "looked" in news.markup.ids
    assert "looked" not in app.get("/explore/search?seen=", fragments=True).markup.ids


def test_the_dot_nearest_to_a_click_is_looked_at(started):
    app = started(K.format(k=5) + L + MAKING.format(limit="30%"))
    page = settled(app)
    link = next(one for one in page["plot"].all("a") if one.get("href", "").endswith(another(app, page)))
    x, y = (float(link.first("circle").get(name).rstrip("%")) for name in ("cx", "cy"))
    at = f"{x * 5 + 2:.0f}.{y * 4 - 2:.0f}.500.400"
    found = app.get(f"/explore/plot?at={at}", fragments=True)
    assert found["along"].attributes["data-query"] == f"?look={another(app, page)}"
    for wrong in ("1.1.500.400", "1.1", "a.b.c.d", "", "9" * 5000, "-5.0.1.1"):
        assert "looked" not in app.get(f"/explore/plot?at={wrong[:900]}", fragments=True).markup.ids


def test_levels_that_do_not_exist_are_not_looked_at(started):
    app = started()
    settled(app)
    for levels in ("9.9.9", "1", "", "a.b.c", "٣.0.0", "1.0.0.0", "1e9.0.0"):
        assert "looked" not in app.get(f"/explore?look={quote(levels)}").markup.ids, levels


def test_figures_that_would_tell_on_a_few_people_are_not_told_of_what_is_looked_at(started):
    app = started(K.format(k=2) + MAKING.format(limit="100%"))
    settled(app)
    assert exploration(app).evaluate((0, 0, 0)).smallest < 5
    looked = app.get("/explore/plot?look=0.0.0", fragments=True)["looked"].text
    assert "More is not told" in looked
    assert "average risk" not in looked


def test_a_search_that_ends_while_its_page_is_written_is_asked_for_again(started, monkeypatch):
    app = started()
    settled(app)
    helper, title = app.running.session.get_cached(PENDING_SEARCH).helper, ExploreAnswer.title
    helper.idle = False
    monkeypatch.setattr(
        ExploreAnswer, "title", property(lambda self: setattr(helper, "idle", True) or title.fget(self))
    )
    assert "data-poll" in app.get("/explore")["search"].attributes


def test_the_plot_by_suppressed_people_has_a_front_of_its_own(started):
    app = started(K.format(k=5) + L + MAKING.format(limit="30%"))
    before = policy(app) if settled(app) else None
    answer = app.get("/explore/plot?x=suppressed", fragments=True)
    allowed = int(Fraction("0.3") * 240)
    within = [one for one in exploration(app).list_evaluated() if one.is_within(allowed) and one.classes]
    expected = [
        one
        for one in within
        if not any(
            other.suppressed <= one.suppressed
            and other.lost <= one.lost
            and (other.suppressed, other.lost) != (one.suppressed, one.lost)
            for other in within
        )
    ]
    scores = [float(row.all("td")[2].text) for row in answer["front"].all("tr")[1:]]
    assert scores == sorted(scores, reverse=True)
    assert set(scores) <= {round(one.score, 4) for one in expected}
    assert "no other suppresses fewer people" in answer["plot-told"].text
    assert (
        f"{len({(one.suppressed, one.lost) for one in expected})} of them lie on the front" in answer["plot-told"].text
    )
    assert answer["across-suppressed"].get("aria-current") == "true"
    assert answer["along"].attributes["data-query"] == "?x=suppressed"
    assert all("x=suppressed&look=" in one.get("href") for one in answer["front"].all("a"))
    assert app.get("/explore/plot?x=suppressed").to == "/explore?x=suppressed#plot"
    assert policy(app) == before  # it is in the address only
    ticks = [one.text for one in answer["plot"].all("text") if one.text.endswith("%")]
    assert ticks[0] == "0%"
    looked = app.get(f"/explore?x=suppressed&look={another(app, app.get('/explore'))}")
    assert looked["across-risk"].get("href").endswith(f"?x=risk&look={another(app, app.get('/explore'))}")
    assert app.get("/explore?x=nothing")["across-risk"].get("aria-current") == "true"


def test_the_fronts_list_nothing_that_would_tell_on_a_few_people(started):
    """Both together: the same reader can see both."""
    app = started(K.format(k=2) + MAKING.format(limit="100%"))
    settled(app)
    fronts = [app.get(f"/explore?x={x}")["front"].all("tr")[1:] for x in ("risk", "suppressed")]
    counts = sorted({int(row.all("td")[0].text.partition(" ")[0]) for rows in fronts for row in rows})
    assert all(after - before >= 5 for before, after in pairwise([0, *filter(None, counts)]))
    for levels in exploration(app).iterate_levels():  # nor is more told of a dot that is looked at
        looked = app.get(f"/explore/plot?look={'.'.join(map(str, levels))}", fragments=True)
        if "looked" in looked.markup.ids and "average risk" in looked["looked"].text:
            listed = {int(row.all("td")[0].text.partition(" ")[0]) for row in looked["front"].all("tr")[1:]}
            people = exploration(app).evaluate(levels).suppressed
            assert all(people == one or abs(people - one) >= 5 for one in {0, *listed})


def weigh(app, name, text, fragments=True):  # noqa: FBT002
    return send(app, "/explore/weight", fragments=fragments, column=str(number(app, name)), weight=text)


@pytest.mark.parametrize("more", ["", 'utility = "loss"\n'])
def test_a_weight_is_text_and_counts_in_search_prices_and_plot(started, more):
    app = started(K.format(k=5) + L + MAKING.format(limit="5%") + more)
    before = settled(app)
    best_before = policy(app)["anonymize"]["levels"]
    answer = weigh(app, "age", " 0.1 ")
    assert policy(app)["anonymize"]["weights"] == {"age": "0.1"}
    assert "weight 0.1" in answer[f"menu-{number(app, 'age')}"].text
    assert answer[f"weight-{number(app, 'age')}"].get("value") == "0.1"
    assert answer["along"].attributes["data-query"] == ""
    assert weigh(app, "place", "3/4").status == 200
    send(app, "/explore/search", do="start")
    page, found = settled(app), made(app)
    assert policy(app)["anonymize"]["levels"] == found.levels
    assert find_best(exploration(app).list_evaluated(), 12).levels == tuple(found.levels.values())
    assert found.levels["age"] > best_before["age"] or more  # its detail is worth little now
    weighed = exploration(app).evaluate(tuple(found.levels.values()))
    assert weighed.score == pytest.approx(found.worth)
    assert f"{found.worth:.4f}" in page["answer"].text
    assert f"{found.worth:.4f}" in page["strips"].text
    assert f"{found.worth:.4f}" in page["front"].text
    if not more:
        assert "weighted granularity" in page["answer"].text
        assert "weighted" not in before["answer"].text
    text = app.get("/text")
    assert "[anonymize.weights]" in text["text-policy"].text
    assert 'weights={"age": "0.1", "place": "3/4"}' in text["text-python"].text
    weigh(app, "place", "1")
    weigh(app, "age", "")
    assert "weights" not in policy(app)["anonymize"]


def test_a_weight_that_is_none_is_told_beside_its_field(started):
    app = started()
    settled(app)
    before, place = policy(app), number(app, "age")
    for typed in ("1.5", "-1", "half", "nan", "1/0", "1e999"):
        answer = weigh(app, "age", typed)
        assert answer[f"weight-{place}"].get("aria-invalid") == "true", typed
        assert answer[f"weight-{place}"].get("value") == typed
        assert "open" in answer[f"menu-{place}"].attributes
        assert 'the weight of "age"' in answer[f"weight-{place}-about"].text
        assert policy(app) == before
        whole = weigh(app, "age", typed, fragments=False)  # without script
        assert whole.status == 422
        assert whole[f"weight-{place}"].get("aria-invalid") == "true"
    assert send(app, "/explore/weight", column="99", weight="1").status == 400


def test_weights_go_with_granularity_and_loss_only(started):
    app = started(K.format(k=5) + MAKING.format(limit="5%") + 'utility = "precision"\n')
    settled(app)
    answer = weigh(app, "age", "0.5")
    assert "weights do not go with Precision" in answer[f"weight-{number(app, 'age')}-about"].text
    assert "weights" not in policy(app)["anonymize"]


def test_the_front_on_the_screen_leaves_out_what_differs_by_few_people():
    def weighed(suppressed, people):
        return NodeFigures((0,), True, suppressed, 1000 - suppressed, 50, 5, 0.5, Fraction(1, 2), people=people)

    best = weighed(40, 10)
    few, many, rows = weighed(60, 13), weighed(41, 15), weighed(9, None)
    assert not may_be_shown(few, [best.gone])
    assert may_be_shown(many, [best.gone])
    assert not may_be_shown(weighed(12, 3), [])  # twelve rows, of three people
    assert may_be_shown(rows, [])  # every row is one person
    assert not may_be_shown(weighed(3, None), [rows.gone])
