"""The application, step 6: candidates side by side."""

COMPARE: dict[str, str] = {
    "compare_question": "Which candidate should be released?",
    "compare_standing": "{pins:candidate|candidates}",
    "compare_standing_none": "none pinned",
    "compare_h1_none": "Nothing to compare yet",
    "compare_h1_one": "One candidate is pinned; it takes two to compare",
    "compare_lead_none": "Pin what you want to keep in sight while exploring: up to four candidates stand side by"
    " side here.",
    "compare_to_explore": "To Explore",
    "compare_h1_busy": "{pins} candidates are made and measured",
    "compare_lead_busy": "Each is made from the original by the same search and the same rules as a release. Local"
    " recoding takes longest.",
    "compare_look_again": "Look again",
    "compare_h1_problem": "The candidates cannot be made yet",
    "compare_lead_problem": "The message is in English so that it can be searched for and sent on. Cells are never"
    " quoted.",
    "compare_h1_few": "Fewer than two candidates can be made",
    "compare_lead_few": "What stands in the way is told below. Requirements or roles have changed since they were"
    " pinned, or the share of rows that may be suppressed.",
    "compare_cannot": "{name} cannot be made as the policy is now",
    "compare_global": "one level for everyone",
    "compare_local": "local recoding: levels mix",
    "compare_microaggregate": "means of groups",
    "compare_holds": "holds",
    "compare_fails": "does not hold",
    "compare_best": "best",
    "compare_name": "{name}",
    "compare_figure": "{value}",
    "compare_kept": "Kept: the share of rows that still carry this value; orange below 0.8 of the overall share.",
    "compare_choose": "Choose {letter}",
    "compare_chosen": "{letter} is chosen",
    "compare_remove": "Unpin",
    "compare_back": "Back: Explore",
    "compare_next": "Next: Release {letter}",
    "compare_next_any": "Next: Release",
    "compare_keys": "choose a candidate",
    "compare_did_choose": "chose {name}",
    "compare_did_remove": "unpinned {name}",
}
