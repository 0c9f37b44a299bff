"""The account of how a release was made, as text."""

from __future__ import annotations

from PETWorks.measure.account import Account
from PETWorks.render.blocks import Headline, Steps, blocks
from PETWorks.render.explanation import numbered
from PETWorks.render.fill import PLAIN
from PETWorks.render.wrapping import indented


def account_text(account: Account, language: str = "en") -> str:
    """Write what was made, the goals and the utility, and how it came about."""
    lines: list[str] = []
    for block in blocks(account, language, PLAIN):
        match block:
            case Headline(text):
                lines += indented(text, 0)
            case Steps(steps):
                lines += numbered(steps)
            case _:
                lines += indented(str(block), 2)
    return "\n".join(lines)
