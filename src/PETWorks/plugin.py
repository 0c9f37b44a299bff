"""The names that an author of measures imports."""

from PETWorks.measure.plugin import *  # noqa: F403
from PETWorks.measure.plugin import __all__  # noqa: F401
