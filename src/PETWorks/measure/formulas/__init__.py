"""Formulas of the literature, such as Earth Mover's Distance, and the steps that explain them.

They are functions of facts and exact numbers, and know nothing of limits or results. Steps are kinds and figures
without words; `render` has the words of each kind, by language.
"""

from __future__ import annotations
