"""The words of the application, by screen; every key begins with the name of its screen."""

from PETWorks.render.words.en.app.releases import COMPARE, EXPLORE, EXPLORE_BESIDE, RELEASE
from PETWorks.render.words.en.app.rules import HIERARCHIES, REQUIREMENTS
from PETWorks.render.words.en.app.tables import COLUMNS, FRAME, OPEN

APP: dict[str, str] = FRAME | OPEN | COLUMNS | HIERARCHIES | REQUIREMENTS | EXPLORE | EXPLORE_BESIDE | COMPARE | RELEASE
