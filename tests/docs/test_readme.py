"""The code blocks of the README run, from the project's root."""

import re

import pytest

from support.process import petworks

README = "README.md"


def blocks(root):
    return re.findall(r"```python\n(.*?)```", (root / README).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", [0, 1])
def test_block_runs(root, number, monkeypatch, capsys):
    monkeypatch.chdir(root)
    exec(compile(blocks(root)[number], README, "exec"), {})  # noqa: S102
    assert "Precision" in (out := capsys.readouterr().out) or "precision" in out


def test_every_block_is_run(root):
    assert len(blocks(root)) == 2


def test_every_measure_is_listed(root):
    import PETWorks as pw

    text = (root / README).read_text(encoding="utf-8")
    assert [kind.__name__ for kind in pw.measures().values() if f"`{kind.__name__}(" not in text] == []


def test_console_block_is_what_is_printed(root, tmp_path):
    text = (root / README).read_text(encoding="utf-8")
    command, expected = re.search(r"```console\n\$ petworks (.*?)\n(.*?)```", text, re.DOTALL).groups()
    assert petworks("demo", cwd=tmp_path).returncode == 0
    run = petworks(*command.split(), cwd=tmp_path)
    assert (run.returncode, run.stdout) == (1, expected)


def test_quoted_figure(root):
    import PETWorks as pw

    names = ["sex", "age", "race", "marital-status", "education", "native-country"]
    table = root / "data" / "adult_anonymized.csv"
    release = pw.Release(
        table, hierarchies=root / "data" / "adult_hierarchy", quasi_identifiers=names, sensitive=["occupation"]
    )
    quoted = re.search(r"result.value +# ([0-9.]+)…", (root / README).read_text(encoding="utf-8"))[1]
    assert str(release.ask("t-closeness").value).startswith(quoted)
