"""``petworks key``: make keys, which stay in the user's settings folder, or list them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from PETWorks.cli import HOLDS
from PETWorks.cli.languages import choose_language
from PETWorks.cli.output import print_answer, print_note
from PETWorks.errors import ParameterError
from PETWorks.measure.steps import Name
from PETWorks.render.fill import fill
from PETWorks.render.typography import display_width, pad
from PETWorks.render.words import Vocabulary, words
from PETWorks.user.folder import find_folder
from PETWorks.user.keys import Key, KeyKind, list_keys, new_key


def run(options: argparse.Namespace) -> int:
    """Make a key, or list all keys."""
    word = words(choose_language(options))
    if options.action == "list":
        if options.name or options.signing:
            raise ParameterError("petworks key list takes no name and no option", hint="it lists all keys")
        keys = list_keys()
        folder = {"folder": Name(find_folder() / "keys")}
        print_answer("\n".join(_list(keys, word)) if keys else fill(word.command["key_none"], folder, word))
        return HOLDS
    if not options.name:
        hint = "a study, a dataset or a person: petworks key new study-2026"
        raise ParameterError("the key needs a name", hint=hint)
    key = new_key(options.name, KeyKind.SIGNING if options.signing else KeyKind.SECRET)
    figures = {"name": Name(key.name), "fingerprint": Name(key.fingerprint), "public": Name(key.public_text)}
    print_answer(fill(word.command[f"key_made_{key.kind}"], figures, word))
    print_note(word.command[f"key_keep_{key.kind}"])
    return HOLDS


def _list(keys: Sequence[Key], word: Vocabulary) -> Iterator[str]:
    """Write a line for each key: name, purpose, fingerprint, date, and the public key of one that signs."""
    rows = [
        (Name(key.name), word.command[f"key_{key.kind}"], key.fingerprint, key.created, key.public_text) for key in keys
    ]
    widths = [max(display_width(str(row[place])) for row in rows) for place in range(4)]
    for row in rows:
        yield "  ".join([*(pad(str(text), width) for text, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
