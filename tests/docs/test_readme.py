"""The code blocks of the README run, from the project's root."""

import re

import pytest

from support.process import petworks

README = "README.md"


def blocks(root):
    return re.findall(r"```python\n(.*?)```", (root / README).read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory, root):
    """A folder in which the demonstration was run, and which has the data of a checkout."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "data").symlink_to(root / "data")
    assert petworks("demo", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("number", [0, 1])
def test_block_runs(root, checkout, number, monkeypatch, capsys):
    monkeypatch.chdir(checkout)
    names: dict[str, object] = {}
    exec(compile(blocks(root)[number], README, "exec"), names)  # noqa: S102
    assert "Precision" in (out := capsys.readouterr().out) or "precision" in out
    if not number:
        quoted = re.search(r"result.value +# ([0-9.]+)…", blocks(root)[0])[1]
        assert str(names["result"].value).startswith(quoted)


def test_every_block_is_run(root):
    assert len(blocks(root)) == 2


def test_every_measure_is_listed(root):
    import PETWorks as pw

    text = (root / README).read_text(encoding="utf-8")
    assert [kind.__name__ for kind in pw.measures().values() if f"`{kind.__name__}(" not in text] == []


def test_console_block_is_what_is_printed(root, checkout):
    text = (root / README).read_text(encoding="utf-8")
    command, expected = re.search(r"```console\n\$ petworks (.*?)\n(.*?)```", text, re.DOTALL).groups()
    run = petworks(*command.split(), cwd=checkout)
    assert (run.returncode, run.stdout) == (1, expected)
