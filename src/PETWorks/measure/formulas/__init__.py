"""Formulas of the literature: Earth Mover's Distance, intervals, leaf counts, superpopulation models.

They are pure functions of facts and exact numbers, and know nothing of limits, results or words.

Explain how results were computed, as steps: kinds and figures, without words.

The words of each kind of step are chosen in `render`, per language. This room uses facts and formulas.
"""

from __future__ import annotations
