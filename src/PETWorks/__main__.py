"""``python -m PETWorks`` is the command ``petworks``."""

import sys

from PETWorks.cli import main

sys.exit(main())
