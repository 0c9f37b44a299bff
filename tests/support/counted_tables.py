"""Tables as they are opened and counted, for tests of what is computed from them."""

from PETWorks.tables.counting.tally import Coded, Tally
from PETWorks.tables.opening import PairedSources, open_source

__all__ = ["Coded", "PairedSources", "Tally", "open_source"]
