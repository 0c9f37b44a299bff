"""What somebody did: a kind, its figures, and the screen where it is seen."""

from __future__ import annotations

from typing import Any

Plain = str | int | float | bool | None | list[str]  # what a line of the journal can hold


class Change:
    """A change of the policy, or something else to be remembered. It names columns, never a cell of the table.

    The kind begins with the name of its screen. The words of "columns_role" are under the key "columns_did_role".
    """

    def __init__(self, kind: str, /, at: str = "", **figures: Plain) -> None:
        self.kind = kind
        self.figures = figures
        screen = kind.partition("_")[0]
        self.at = at or ("/" if screen == "open" else f"/{screen}")  # where the change is seen

    @property
    def key(self) -> str:
        """The key of the words that tell it."""
        screen, _, what = self.kind.partition("_")
        return f"{screen}_did_{what}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"kind": self.kind, "at": self.at, "figures": self.figures}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Change:
        """Read it from plain values."""
        return cls(str(plain["kind"]), at=str(plain["at"]), **plain["figures"])
