"""The page of the command line, from its parser."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path

from reference_measures import may_be, slug
from reference_words import Words, code, escaped, fence, filled, joined, table

import PETWorks
from PETWorks.__main__ import INTERRUPTED
from PETWorks.cli import FAILS, HOLDS, NOT_EVALUATED
from PETWorks.cli.parameters import PREFIX
from PETWorks.cli.parser import COMMANDS, EXAMPLES, Parser, parser
from PETWorks.measure.parameter import find_parameters
from PETWorks.measure.registry import measures
from PETWorks.settings.section import declared as find_settings
from PETWorks.settings.section import meaning
from PETWorks.settings.sections import SECTIONS

OPTIONS = {  # the meaning of each setting's option, by language
    one.option_name: {language: meaning(section, name, language) for language in ("en", "zh_TW")}
    for section in SECTIONS
    for name, one in find_settings(section).items()
}
VARIABLE = re.compile(r"\bPETWORKS_[A-Z]+\b")
MEANT = "parameters of measures"


def command_page(word: Words) -> str:
    """Describe every command with all its options."""
    os.environ["COLUMNS"] = "80"
    root = parser()
    parts = [f"# {word['command_line']}", word["command_line_intro"], fence("text", _usage(root))]
    parts += [table([word["option"], word["meaning"]], _options(root, "", word))]
    codes = [[str(number), word.of("exit", str(number))] for number in (HOLDS, FAILS, NOT_EVALUATED, INTERRUPTED)]
    parts += [f"## {word['exit_codes']}", table([word["exit_code"], word["meaning"]], codes)]
    for name, command in root.commands.items():
        command.complete()
        parts += [
            f"## petworks {name}",
            word.of("commands", name, f"{COMMANDS[name][1][0].upper()}{COMMANDS[name][1][1:]}."),
        ]
        parts += [fence("text", _usage(command))]
        for group in command._action_groups:  # noqa: SLF001 (argparse tells them nowhere else)
            shown = [action for action in group._group_actions if action.help != argparse.SUPPRESS]  # noqa: SLF001
            if not shown or (group.title == MEANT and name != "evaluate"):
                continue
            title = word[str(group.title)]
            parts += [f"**{title}**"]
            if group.title == MEANT:
                parts += [table([word["option"], word["meaning"]], _parameters(shown, word))]
            else:
                parts += [table([word["option"], word["meaning"]], _described(shown, name, word))]
        if any(group.title == MEANT for group in command._action_groups) and name != "evaluate":  # noqa: SLF001
            parts += [word["same_parameters"]]
        parts += [fence("text", EXAMPLES[name])]
    parts += [f"## {word['environment']}"]
    parts += [
        table([word["variable"], word["meaning"]], [[code(one), word.of("environment", one)] for one in variables()])
    ]
    return joined(parts)


def variables() -> list[str]:
    """Return the environment variables that the code reads."""
    source = Path(PETWorks.__file__).parent
    found = {name for path in source.rglob("*.py") for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    return sorted({*found, "LANG", "NO_COLOR"})  # LANG stands for the locale; NO_COLOR is read by rich


def _usage(one: Parser) -> str:
    return one.format_usage().removeprefix("usage: ")


def _options(root: Parser, name: str, word: Words) -> Iterator[list[str]]:
    plain = [one for one in root._actions if not isinstance(one, argparse._SubParsersAction)]  # noqa: SLF001
    yield from _described(plain, name, word)


def _described(actions: list[argparse.Action], command: str, word: Words) -> Iterator[list[str]]:
    for action in [one for one in actions if one.help is not argparse.SUPPRESS]:
        key = max(action.option_strings, key=len) if action.option_strings else f"{command} {action.metavar}"
        key = f"{command} {key}" if word.has("options", f"{command} {key}") else key
        declared_meaning = None if word.has("options", key) else OPTIONS.get(key, {}).get(word.language)
        meant = declared_meaning or word.of("options", key, str(action.help).replace("%%", "%"))
        yield [_spelt(action), escaped(meant)]


def _spelt(action: argparse.Action) -> str:
    if not action.option_strings:
        return code(str(action.metavar))
    metavar = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
    value = f" {metavar}" if action.nargs != 0 and metavar else ""
    return ", ".join(code(f"{one}{value}") for one in action.option_strings)


def _parameters(actions: list[argparse.Action], word: Words) -> Iterator[list[str]]:
    """Yield a row for each option: the measures that have it, and its allowed values for each."""
    for action in actions:
        name = action.dest.removeprefix(PREFIX)
        by_range: dict[str, list[str]] = {}
        for kind in measures().values():
            if parameter := find_parameters(kind).get(name):
                link = f"[{escaped(kind.words[word.language].title)}](measures/{slug(kind)}.md)"
                by_range.setdefault(may_be(parameter, word), []).append(link)
        told = [
            f"{filled(word['of_measures'], {'names': ', '.join(names)})}<br>{known}"
            for known, names in by_range.items()
        ]
        yield [_spelt(action).replace(" WORD", ""), "<br>".join(told)]
