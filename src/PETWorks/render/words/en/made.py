"""The words of the page on how a release was made, and on what else could be had."""

MADE: dict[str, str] = {
    "making": "How was it made?",
    "making_short": "How it was made",
    "making_global": "Made from {original}: every column has one level of its hierarchy in all rows.",
    "making_local": "Made from {original}: rows of a column may have different levels (local recoding).",
    "making_parts": "Labels depend on sensitive values, too: people with equal quasi-identifiers may have different"
    " ones. Who knows how labels are chosen may infer something about sensitive values from them (minimality attack),"
    " which no measure here counts.",
    "making_parts_not_needed": "Labels could depend on sensitive values, too, but nothing better was found that way.",
    "making_microaggregate": "Made from {original}: every cell of a quasi-identifier is the mean of its group.",
    "making_kept": "Of all that meet the requirements, the one that keeps most was looked for: {utility} {score}.",
    "making_lost": "Of all that meet the requirements, the one that loses least was looked for: loss {score}.",
    "making_bounds": "The user restricted levels to these: {bounds}.",
    "making_given": "These levels are the user's choice: {levels}.",
    "making_given_kept": "What they keep: {utility} {score}.",
    "making_given_lost": "What they lose: loss {score}.",
    "making_fixed_kept": "Of all with these that meet the requirements, the one that keeps most was looked for:"
    " {utility} {score}.",
    "making_fixed_lost": "Of all with these that meet the requirements, the one that loses least was looked for: loss"
    " {score}.",
    "making_weighted": "weighted {utility}",
    "making_none": "No row could be suppressed.",
    "making_allowed": "At most {rate:%} of the rows could be suppressed, {allowed} of {rows}; suppressed: {suppressed}"
    " ({share:%}).",
    "making_people_allowed": "At most {rate:%} of the people could be suppressed, {allowed} of {people}, with all their"
    " rows; suppressed: {suppressed:row|rows} ({share:%}).",
    "making_people": "Requirements count people, who may have several rows: {suppressed} of {people:person|people} have"
    " a suppressed row.",
    "making_removed": "These rows were removed.",
    "making_shuffled": "The rows are in a random order.",
    "making_levels": "Level of each column, of all that its hierarchy has",
    "making_shares": "Share of the rows at each level, by column",
    "making_level_head": "Level",
    "making_complete": "generalised completely",
    "making_rows_at": "level {level}: {share:%}",
    "proof": "Is it the best?",
    "proof_proven": "Proven best: of all combinations of levels, none that meets the requirements keeps more.",
    "proof_proven_within": "Proven best within the restriction: of all combinations of the levels that were allowed,"
    " none that meets the requirements keeps more.",
    "proof_better": "Not the best: these levels were chosen by hand, and others that meet the requirements keep more:"
    " {utility} {score} ({levels}; suppressed: {suppressed}).",
    "proof_better_lost": "Not the best: these levels were chosen by hand, and others that meet the requirements lose"
    " less: loss {score} ({levels}; suppressed: {suppressed}).",
    "proof_better_untold": "Not the best: these levels were chosen by hand, and others that meet the requirements keep"
    " more. Which ones is withheld: together with this release, their figures would be about a few people.",
    "proof_given": "Not proven to be the best: these levels were chosen by hand, and the search for better ones did not"
    " come to an end.",
    "proof_stopped": "Best found, not proven: the search was stopped.",
    "proof_trimmed": "Best found, not proven: classes that failed once others were removed had to be removed, too.",
    "proof_local": "Best found in {rounds:round|rounds} of improvement, not proven: another local recoding might keep"
    " more.",
    "proof_groups": "Proven best: no other groups lose less.",
    "proof_groups_open": "Best found, not proven: other groups might lose less.",
    "proof_above": "No other can have more than {bound}; this one has {score}.",
    "proof_below": "No other can lose less than {bound}; this one loses {score}.",
    "proof_sum": "{evaluated:b} measured + {by_goals:b} finer than a measured one that would suppress too much +"
    " {by_bound:b} that cannot keep more = {vectors:b} combinations of levels, {which}.",
    "proof_sum_open": "{evaluated:b} measured + {by_goals:b} finer than a measured one that would suppress too much"
    " + {by_bound:b} that cannot keep more + {open:b} not looked at = {vectors:b} combinations of levels,"
    " {which}.",
    "proof_all": "all there are",
    "proof_allowed": "all that were allowed",
    "front": "What else could be had",
    "front_page": "The front of risk and utility",
    "front_sub": "Releases with other limits and rates of suppression, all requirements otherwise as they are. None of"
    " them is beaten by another: one that is less risky, or suppresses fewer rows, keeps less.",
    "front_none": "No other was found.",
    "front_given": "Levels that the user chose are the same in all of them.",
    "front_cut": "Not all limits and rates were tried, to save time; petworks anonymize --front tries all.",
    "front_left_out": "Not shown: {number:release|releases} with classes of fewer than {least} people, or whose"
    " suppressed rows differ from another's by fewer than {least}.",
    "front_figure": "Risk and utility of each",
    "front_reading": "This release ({letter}) has a highest risk of {risk} and {utility} {score}; up and to the left is"
    " better.",
    "front_reading_lost": "This release ({letter}) has a highest risk of {risk} and loss {score}; down and to the left"
    " is better.",
    "front_reading_other": "Up and to the left is better.",
    "front_reading_other_lost": "Down and to the left is better.",
    "front_table": "The same as numbers; the least risk first",
    "front_letter": "Release",
    "front_limit": "Limit",
    "front_rate": "Suppressed at most",
    "front_suppressed": "Suppressed",
    "front_risk": "Highest risk",
    "front_levels": "Levels",
    "front_order": "Levels stand in this order: {columns}.",
    "front_lost": "Loss",
    "front_this": "this release",
    "front_x": "highest re-identification risk",
    "scope_rows": "{rows:row|rows}",
    "front_head": "{points:release|releases} could be had, none beaten by another",
    "front_head_none": "No release could be had",
}
