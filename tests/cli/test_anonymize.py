"""``petworks anonymize``: the answer, its exit codes, and that `check` passes whatever was written."""

import hashlib
import json
import os
import random
import signal

import pytest

from anonymization.interrupting import interrupt_search
from PETWorks import AnonymizedTable
from PETWorks.cli import main
from support.process import POLICY, five_people, petworks, petworks_process

ORIGINAL = (
    "id;year;place;disease\n1;1970;Berlin;flu\n2;1977;Bonn;cold\n3;1983;Paris;flu\n4;1988;Lyon;cold\n5;1985;Paris;flu\n"
)
ROLES = POLICY.replace('sensitive = ["disease"]', 'sensitive = ["disease"]\nidentifiers = ["id"]')


@pytest.fixture
def signals():
    """Restore the handlers: after a signal, a process of its own ignores others until it ends."""
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.fixture
def raw(tmp_path):
    """Write a policy, its original and hierarchies, and no release."""

    def write(section="", policy=ROLES):
        path = five_people(tmp_path, policy + section)
        (tmp_path / "original.csv").write_text(ORIGINAL)
        (tmp_path / "released.csv").unlink()
        return path

    return write


def test_the_release_is_told_before_the_front_of_its_report(tmp_path, raw, monkeypatch, capsys, signals):
    raw('\n[report]\nhtml = "report.html"\n')
    monkeypatch.chdir(tmp_path)
    search, told = AnonymizedTable.front, []

    def front(made, *options):
        told.append(((tmp_path / "released.csv").exists(), capsys.readouterr()))
        return search(made, *options)

    monkeypatch.setattr(AnonymizedTable, "front", front)
    assert main(["anonymize", "policy.toml"]) == 0
    ((written, shown),) = told
    assert written
    assert shown.out.startswith("released.csv  5 rows")
    assert shown.err == "Wrote released.csv\n"
    assert "Wrote report.html" in capsys.readouterr().err


def test_the_release_is_written_and_passes(tmp_path, raw):
    raw()
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "Wrote released.csv\n")
    assert run.stdout.splitlines() == [
        "released.csv  5 rows, 0 suppressed (0%), 2 classes",
        "  granularity 0.6323; proven the best of 9 level vectors",
        "  year   level 1 of 2",
        "  place  level 1 of 2",
        "All 3 requirements hold.",
    ]
    assert (tmp_path / "released.csv").read_text().startswith("id;year;place;disease\n*;197*;Germany;flu\n")
    assert petworks_process("check", "policy.toml", cwd=tmp_path).returncode == 0


def test_in_chinese_and_to_another_file(tmp_path, raw):
    raw("[anonymize]\ndrop_identifiers = true\n")
    run = petworks("anonymize", "policy.toml", "-o", "other.parquet", "--lang", "zh_TW", cwd=tmp_path)
    assert run.stdout.splitlines()[1:] == [
        "  粒度 0.6323；已證明為 9 種層級組合中的最佳",
        "  year   第 1 層／共 2 層",
        "  place  第 1 層／共 2 層",
        "3 項要求全部滿足。",
    ]
    assert sorted(one.name for one in tmp_path.glob("*.*")) == ["original.csv", "other.parquet", "policy.toml"]
    path = tmp_path / "policy.toml"
    path.write_text(path.read_text().replace("released.csv", "other.parquet"))
    assert petworks("check", "policy.toml", cwd=tmp_path).returncode == 0


def test_a_dry_run_writes_nothing(tmp_path, raw):
    raw()
    before = sorted(tmp_path.rglob("*"))
    run = petworks("anonymize", "policy.toml", "--dry-run", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "The release was not written (--dry-run).\n")
    assert run.stdout.endswith("All 3 requirements hold.\n")
    assert sorted(tmp_path.rglob("*")) == before


def test_goals_that_cannot_be_met(tmp_path, raw):
    raw(policy=ROLES.replace("k = 2", "k = 6"))
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, "")
    assert "no level vector meets the goals" in run.stderr
    assert not (tmp_path / "released.csv").exists()


@pytest.mark.parametrize("name", ["original.csv", "policy.toml", "hierarchies/a_hierarchy_year.csv", "r.xls", "-"])
def test_outputs_that_cannot_be(tmp_path, raw, name):
    raw()
    run = petworks("anonymize", "policy.toml", "-o", name, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert "would be overwritten" in run.stderr or "there is no format" in run.stderr
    assert (tmp_path / "original.csv").read_text() == ORIGINAL


def test_a_release_without_a_name(tmp_path, raw):
    raw(policy=ROLES.replace('released = "released.csv"\n', ""))
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert "no file is named for the release" in run.stderr


def test_all_problems_are_told(tmp_path, raw):
    raw('[anonymize]\nsuppress_at_most = "105%"\nrecoding = "locl"\n', POLICY)
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("error: 3 problems, nothing was made\n")
    assert 'no role is given to "id"' in run.stderr
    assert 'did you mean "local"?' in run.stderr


def test_a_value_that_its_hierarchy_lacks_is_withheld(tmp_path, raw):
    raw()
    (tmp_path / "original.csv").write_text(ORIGINAL.replace("1970", "1066"))
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert run.returncode == 2
    assert "1 value is not" in run.stderr
    assert "1066" not in run.stderr
    assert "1066" in petworks("anonymize", "policy.toml", "--show-small-classes", cwd=tmp_path).stderr


@pytest.mark.usefixtures("signals")
def test_ctrl_c_gives_the_best_so_far(tmp_path, raw, monkeypatch):
    raw()
    interrupt_search(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert run.returncode == 0
    assert "best found; no release with one level for each column can exceed" in " ".join(run.stdout.split())
    assert run.stderr.startswith("Interrupted: this is the best that was found so far.")
    assert petworks("check", "policy.toml", cwd=tmp_path).returncode == 0


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize(("number", "times"), [(signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_a_second_ctrl_c_or_another_signal_writes_nothing(tmp_path, raw, monkeypatch, number, times):
    raw()
    interrupt_search(monkeypatch, lambda: os.kill(os.getpid(), number))
    if times == 2:
        monkeypatch.setattr(AnonymizedTable, "write", lambda *_, **__: os.kill(os.getpid(), number))
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (128 + number, "")
    assert not (tmp_path / "released.csv").exists()


LOCAL = '[anonymize]\nrecoding = "local"\npolish_rounds = 1\n'


def test_local_recoding_says_what_none_can_exceed(tmp_path, raw):
    raw(LOCAL)
    run = petworks("anonymize", "policy.toml", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stdout.splitlines()[:3] == [
        "released.csv  5 rows, 0 suppressed (0%), 2 classes",
        "  granularity 0.6323; best found; no local recoding can exceed 0.6968",
        "  year   levels of 2: 1: 100%",
    ]


def test_levels_of_local_recoding_are_not_counted_where_classes_are_small(tmp_path):
    """Ten people of one age and three of two others, with k = 3: some ages stay, others are generalised."""
    ages = ["21"] * 10 + ["31", "31", "35"]
    rows = [f"{age};{'fm'[place % 2]}" for place, age in enumerate(ages)]
    (tmp_path / "raw.csv").write_text("\n".join(["age;ill", *rows, ""]))
    tree = [f"{age};{age[0]}0-{age[0]}9;*" for age in ("21", "25", "31", "35")]
    (tmp_path / "x_hierarchy_age.csv").write_text("\n".join([*tree, ""]))
    (tmp_path / "policy.toml").write_text(
        'version = 1\n[data]\noriginal = "raw.csv"\nreleased = "made.csv"\nhierarchies = "."\n[roles]\n'
        'quasi_identifiers = ["age"]\nsensitive = ["ill"]\n[[require]]\nmeasure = "k-anonymity"\nk = 3\n' + LOCAL
    )
    options = ("anonymize", "policy.toml", "--record", "record.json", "--report", "report.html")
    run = petworks(*options, cwd=tmp_path)
    assert "  age  different levels; how many rows are on each is not told" in run.stdout.splitlines()
    assert json.loads((tmp_path / "record.json").read_text())["making"]["levels"] == {"age": None}
    assert "different levels; how many rows" in (tmp_path / "report.html").read_text()
    assert petworks("verify", "record.json", cwd=tmp_path).returncode == 0
    shown = petworks(*options, "--show-small-classes", cwd=tmp_path)
    assert "  age  levels of 2: 0: 76.9%, 1: 23.1%" in shown.stdout.splitlines()


def test_what_keeps_more_than_given_levels_is_told_where_small_classes_are_shown(tmp_path, raw):
    raw("[anonymize.levels]\nyear = 2\n", ROLES.replace("at_least = 0.5", "at_least = 0.1"))
    chosen, options = "not the best: levels were chosen, and others", ("anonymize", "policy.toml", "--dry-run")
    assert f"{chosen} keep more" in petworks(*options, cwd=tmp_path).stdout
    assert f"{chosen} have 0.6323" in petworks(*options, "--show-small-classes", cwd=tmp_path).stdout


def test_the_same_bytes_again(tmp_path, raw):
    raw(LOCAL)
    written = []
    for name in ("once.csv", "again.csv"):
        assert petworks_process("anonymize", "policy.toml", "-o", name, cwd=tmp_path).returncode == 0
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("seed", range(40))
def test_check_of_what_was_made_passes(tmp_path, seed):
    """A law: whatever the table, the goals and the options are."""
    chance = random.Random(seed)
    rows, means = chance.randint(6, 40), chance.random() < 0.2
    pick = lambda values: [chance.choice(values) for _ in range(rows)]  # noqa: E731
    ages = pick(["10", "12", "25", "27", "31"] + ["", ""] * (not means))
    sexes, sick = pick(["1", "2"] if means else ["f", "m", ""]), pick(["flu", "cold", "hiv"])
    cells = enumerate(zip(ages, sexes, sick, strict=True))
    lines = ["id;age;sex;sick;note", *(f"{n};{a};{s};{d};n{n}" for n, (a, s, d) in cells)]
    (tmp_path / "o.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "a_hierarchy_age.csv").write_text("10;1x;*\n12;1x;*\n25;2x;*\n27;2x;*\n31;3x;*\n")
    keyed = chance.random() < 0.5
    kept, recoding = chance.choice(["loss", "granularity", "Precision"]), chance.choice(["global", "local"])
    options = [
        'recoding = "microaggregate"' if means else f'utility = "{kept}"\nrecoding = "{recoding}"',
        f"suppress_at_most = {0 if means else chance.choice([0, 0.2, 1])}",
        f"drop_identifiers = {chance.choice(['true', 'false'])}",
        f'suppressed_rows = "{chance.choice(["keep", "remove"])}"',
        f'order = "{chance.choice(["original", "shuffled"])}"',
    ]
    paired = keyed or ("keep" in options[3] and "original" in options[4])
    goals = [f'measure = "k-anonymity"\nk = {chance.randint(1, 4)}']
    goals += [f'measure = "t-closeness"\nt = {chance.choice([0.3, 0.6])}'] * (chance.random() < 0.4)
    goals += ['measure = "Precision"\nat_least = 0.1'] * (paired and not means and chance.random() < 0.6)
    policy = '[roles]\nquasi_identifiers = ["age", "sex"]\nsensitive = ["sick"]\nidentifiers = ["id"]\n'
    policy += 'the_rest = "insensitive"\n'
    data = 'version = 1\n[data]\noriginal = "o.csv"\nreleased = "r.csv"\nhierarchies = "h"\n' + 'key = "note"\n' * keyed
    required = "".join(f"[[require]]\n{goal}\n" for goal in goals)
    (tmp_path / "p.toml").write_text(data + policy + required + "[anonymize]\n" + "\n".join(options) + "\n")
    run = petworks("anonymize", "p.toml", cwd=tmp_path)
    assert run.returncode in (0, 1), run.stderr
    assert (tmp_path / "r.csv").exists() == bool(run.stdout)
    if run.stdout:  # a premise may fail: `note` singles everybody out
        checked = petworks("check", "p.toml", cwd=tmp_path)
        answers = [one.stdout.partition("\n\n")[0] for one in (checked, run)]
        assert (checked.returncode, answers[0]) == (run.returncode, answers[1]), checked.stdout


def test_a_pinned_release_is_not_replaced(tmp_path, raw):
    path = raw()
    assert petworks("anonymize", "policy.toml", cwd=tmp_path).returncode == 0
    signed = tmp_path / "released.csv"
    digest = hashlib.sha256(signed.read_bytes()).hexdigest()
    path.write_text(path.read_text().replace("[roles]", f'[data.sha256]\nreleased = "{digest.upper()}"\n[roles]'))
    before = signed.stat().st_mtime_ns
    (tmp_path / "copy.csv").write_bytes(signed.read_bytes())
    (tmp_path / "link.csv").symlink_to(signed)
    for further in ([], ["-o", "copy.csv"], ["-o", "./released.csv"], ["-o", "link.csv"]):
        run = petworks("anonymize", "policy.toml", *further, cwd=tmp_path)
        assert (run.returncode, run.stdout) == (2, "")
        assert "the policy pins this release by its SHA-256, so it is not replaced\n" in run.stderr
        assert "write to another file, or delete released under [data.sha256]" in run.stderr
    assert signed.stat().st_mtime_ns == before
    assert petworks("anonymize", "policy.toml", "--dry-run", cwd=tmp_path).returncode == 0
    assert petworks("anonymize", "policy.toml", "-o", "new.csv", cwd=tmp_path).returncode == 0
    signed.write_text("year;place;disease\n*;*;flu\n")  # no longer what was signed: it is looked into, not replaced
    assert petworks("anonymize", "policy.toml", cwd=tmp_path).returncode == 2
    signed.unlink()
    assert petworks("anonymize", "policy.toml", cwd=tmp_path).returncode == 0


def test_another_file_leaves_the_reports_on_the_release(tmp_path, raw):
    raw('[report]\nhtml = "report.html"\njson = "record.json"\n')
    assert petworks("anonymize", "policy.toml", cwd=tmp_path).returncode == 0
    before = {name: (tmp_path / name).read_bytes() for name in ("report.html", "record.json", "released.csv")}
    run = petworks("anonymize", "policy.toml", "-o", "other.csv", "--record", "other.json", cwd=tmp_path)
    assert run.returncode == 0
    assert run.stderr.splitlines() == [
        "Wrote other.csv",
        "Left report.html, record.json: a report on released.csv, not on this file",
        "Wrote other.json",
    ]
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    record = json.loads((tmp_path / "other.json").read_text())
    assert {one["name"] for one in record["record"]["tables"]} >= {"other.csv"}
    assert petworks("verify", "record.json", cwd=tmp_path).returncode == 0
