"""The trade at the top of step 5: what suppression, or local recoding, would keep where columns are gone."""

from __future__ import annotations

from fractions import Fraction

from PETWorks.anonymization.exploration import NodeFigures, find_best, select_inside
from PETWorks.app.responses import Say
from PETWorks.app.screens.explore.plot import format_levels, may_be_shown
from PETWorks.app.screens.explore.proof import ProofAction
from PETWorks.app.screens.explore.state import ExploreState
from PETWorks.app.screens.explore.strips import format_decimal, format_share

MOST_SUPPRESSED = Fraction(5, 100)  # share of the table that a trade may cost
MUCH_MORE = 1.1  # times the score that local recoding must reach to be offered


def find_trade(state: ExploreState, now: NodeFigures, say: Say, measure: str) -> ProofAction | None:
    """Return the least suppression, over the limit, that leaves as few columns gone as can be; None if none helps."""
    gone = count_gone(state, now)
    most = int(MOST_SUPPRESSED * state.rows)
    if not (gone and state.helper.surveyed) or most <= state.allowed:
        return None
    others = [
        one
        for one in state.exploration.list_evaluated()
        if one.holds and one.classes and state.allowed < one.suppressed <= most and one.lost < now.lost
    ]
    left = {one: many for one in select_inside(others, state.ranges) if (many := count_gone(state, one)) < gone}
    fewer = {one: many for one, many in left.items() if may_be_shown(one, (now.gone,))}
    if not fewer:
        return None
    fewest = [one for one, many in fewer.items() if many == min(fewer.values())]
    tenths = -(-min(one.suppressed for one in fewest) * 1000 // state.rows)  # of a percent, rounded up
    found = find_best(fewest, tenths * state.rows // 1000)
    if found is None:
        return None
    text = say(
        "explore_trade" if fewer[found] else "explore_trade_all",
        rate=format_share(state.plan.suppress_at_most.exact),
        gone=gone,
        share=f"{format_decimal(Fraction(tenths, 10))}%",
        left=fewer[found],
        measure=measure,
        before=f"{now.score:.2f}",
        after=f"{found.score:.2f}",
    )
    fields = {"slider": "", "shown": "", "levels": format_levels(found.levels)}
    return ProofAction(text, "/explore/limit", {"limit": format_decimal(Fraction(tenths, 10)), **fields})


def find_local_trade(state: ExploreState, now: NodeFigures, say: Say, measure: str) -> ProofAction | None:
    """Return local recoding within the same limit, if the estimate keeps much more than one level for each column."""
    quote = state.helper.quote
    if quote is None or not count_gone(state, now) or state.exploration.table.facts.persons is not None:
        return None
    if state.plan.utility is None:  # a loss
        if quote.score * MUCH_MORE > now.score:
            return None
    elif quote.score < now.score * MUCH_MORE:
        return None
    key = "explore_trade_local_loss" if state.plan.utility is None else "explore_trade_local"
    text = say(key, measure=measure, before=f"{now.score:.2f}", after=f"{quote.score:.2f}")
    return ProofAction(text, "/explore/local", {})


def count_gone(state: ExploreState, one: NodeFigures) -> int:
    """Return how many columns a combination generalises completely."""
    tops = zip(one.levels, state.exploration.heights, strict=True)
    return sum(level == top for level, top in tops if top)
