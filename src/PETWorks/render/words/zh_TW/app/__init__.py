"""The words of the application, by screen; every key begins with the name of its screen."""

from PETWorks.render.words.zh_TW.app.releases import COMPARE, EXPLORE, EXPLORE_BESIDE, RELEASE
from PETWorks.render.words.zh_TW.app.rules import HIERARCHIES, REQUIREMENTS
from PETWorks.render.words.zh_TW.app.tables import COLUMNS, FRAME, OPEN

APP: dict[str, str] = FRAME | OPEN | COLUMNS | HIERARCHIES | REQUIREMENTS | EXPLORE | EXPLORE_BESIDE | COMPARE | RELEASE
