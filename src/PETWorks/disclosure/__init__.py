"""What may be shown, and to whom: the one stage that sees both the facts of a table and the readers of an output.

Rooms below compute, and do not know who reads the output; rooms above receive what this one returns.
"""

from enum import StrEnum

from PETWorks.shown import THRESHOLD


class Audience(StrEnum):
    """The readers of an output."""

    ANALYST = "analyst"  # may see small classes
    INTERNAL = "internal"  # may see the released table
    PUBLIC = "public"  # anybody

    @property
    def threshold(self) -> int:
        """The fewest people whom an output for these readers may describe."""
        return 1 if self is Audience.ANALYST else THRESHOLD


def choose_threshold(*, small: bool) -> int:
    """Return the fewest people whom an output may describe; 1 if it shows small classes."""
    return (Audience.ANALYST if small else Audience.INTERNAL).threshold
