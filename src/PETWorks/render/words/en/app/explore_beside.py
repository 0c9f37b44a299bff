"""The application: what stands beside the search on explore."""

EXPLORE_BESIDE: dict[str, str] = {
    # pins
    "explore_pinned": "Pinned",
    "explore_none_pinned": "Nothing is pinned yet. Pin what you want to keep in sight, then compare.",
    "explore_pin_best": "Best within {rate}",
    "explore_pin_keeping": "Best that keeps every column",
    "explore_pin_local": "Local recoding",
    "explore_pin_levels": "Levels {levels}",
    "explore_pin_unfit": "Does not fit any more",
    "explore_pin_unfit_lead": "Columns or hierarchies have changed since.",
    "explore_pin_unknown": "Not worked out since the start; looking at it does.",
    "explore_pin_text": "{people} suppressed · {measure} {score}",
    "explore_pin_gone": " · {columns} are gone",
    "explore_pin_gone_one": " · {columns} is gone",
    "explore_none_keeps": "No combination within {rate} keeps every column.",
    "explore_unpin": "Unpin",
    "explore_compare": "Compare the {number}",
    "explore_bring_back": "Bring suppressed people back?",
    "explore_local_what": "Local recoding: people whose class fails get coarser values instead of *.",
    "explore_local_price": "{people} instead of {now} would stay suppressed, {measure} at least {score}.",
    "explore_local_cost": "The price: one column then holds values of different levels, so its counts need care.",
    "explore_try_local": "Try local recoding",
    # requirements, columns
    "explore_requirements": "Requirements",
    "explore_requirements_told": "Measured on what would be released. “Before” is without suppression; one class can"
    " fail several requirements: together {classes:class|classes}, {people:person|people}.",
    "explore_requirements_local": "Measured on what would be released.",
    "explore_verdict_holds": "Holds",
    "explore_verdict_fails": "Fails",
    "explore_verdict_unasked": "Not measured",
    "explore_before": "before: {classes:class|classes}, {people:person|people}",
    "explore_left": "What is left of each column",
    "explore_left_told": "Granularity, 0 to 1, higher is better. Least first.",
    "explore_head_column": "Column",
    "explore_head_bar": "Bar",
    "explore_head_left": "Granularity",
    "explore_hardest": "Suppression falls hardest on {column} = {value}: {share} of its rows are left, against"
    " {overall} overall.",
    "explore_hardest_told": "Of the values that may be told, suppression falls hardest on {column} = {value}: {share}"
    " of its rows are left, against {overall} overall.",
    "explore_untold": "Which value suppression falls hardest on is not told: it could be about fewer than five people.",
    "explore_back": "Back: Requirements",
    "explore_next": "Next: Compare",
    # keys
    "explore_key_best": "find the best",
    "explore_key_stop": "stop the search",
    "explore_key_pin": "pin what is in sight",
    "explore_key_finer": "along the front: more detail",
    "explore_key_coarser": "along the front: less risk",
    "explore_key_bound": "this column not coarser",
    "explore_key_arrows": "steps of a column; up and down: columns",
}
