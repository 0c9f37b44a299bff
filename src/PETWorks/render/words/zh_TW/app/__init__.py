"""The words of the application, by screen; every key begins with the name of its screen."""

from PETWorks.render.words.zh_TW.app.columns import COLUMNS
from PETWorks.render.words.zh_TW.app.compare import COMPARE
from PETWorks.render.words.zh_TW.app.explore import EXPLORE
from PETWorks.render.words.zh_TW.app.explore_beside import EXPLORE_BESIDE
from PETWorks.render.words.zh_TW.app.frame import FRAME
from PETWorks.render.words.zh_TW.app.hierarchies import HIERARCHIES
from PETWorks.render.words.zh_TW.app.open import OPEN
from PETWorks.render.words.zh_TW.app.release import RELEASE
from PETWorks.render.words.zh_TW.app.requirements import REQUIREMENTS

APP: dict[str, str] = FRAME | OPEN | COLUMNS | HIERARCHIES | REQUIREMENTS | EXPLORE | EXPLORE_BESIDE | COMPARE | RELEASE
