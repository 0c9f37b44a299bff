"""How a release was made.

The words of the page on how a release was made, and on what else could be had.

The words of a comparison.
"""

from __future__ import annotations

MAKING: dict[str, str] = {
    "utility": "utility",
    "weighted": "weighted utility",
    "loss": "loss",
    "of_rows": "rows",
    "of_people": "people",
    "head": "Made from {table}: {rows:row|rows}, {suppressed} suppressed ({share:%}), {classes:class|classes}",
    "head_removed": "Made from {table}: {rows:row|rows}, {suppressed} removed ({share:%}), {classes:class|classes}",
    "lost": "loss: {value} (lower is better)",
    "kept": "weighted utility: {value} (higher is better)",
    "without_hierarchy": "No hierarchy for {columns}: values are kept, or become *.",
    # in short
    "short_levels": "Levels: {levels}",
    "short_proven": "Proven: of {vectors:level vector|level vectors}, none is better.",
    "short_proven_groups": "Proven: no other groups lose less.",
    "short_not_proven": "Not proven to be the best.",
    "short_parts": "Labels depend on sensitive values, too.",
    # what was allowed
    "none_allowed": "No row may be suppressed.",
    "allowed": "At most {rate:%} of the rows may be suppressed: {allowed} of {all}.",
    "people_allowed": "At most {rate:%} of the people may be suppressed, with all their rows: {allowed} of {all}.",
    "people": "Goals count people, who may have several rows; an adversary is taken to know {records} of a person. Of"
    " {people:person|people}, {suppressed} have a suppressed row.",
    "known_one": 'one record (known="one")',
    "known_all": 'all records (known="all")',
    # what was done
    "levels": "Every column is released at one level of its hierarchy:",
    "levels_costs": "Every column is released at one level of its hierarchy. Its share of all that is lost, suppressed"
    " rows included, is:",
    "level": "{column}: level {level} of {height}",
    "level_cost": "{column}: level {level} of {height}, {share:%}",
    "mixed": "Rows have different levels. How many have each, by column:",
    "mixed_costs": "Rows have different levels. How many have each, and the column's share of all that is lost,"
    " suppressed rows included:",
    "mixed_column": "{column}: {rows}",
    "mixed_column_cost": "{column}: {rows}; {share:%}",
    "parts": "Labels depend on sensitive values, too: people with equal quasi-identifiers may have different ones. Who"
    " knows how labels are chosen may infer something about sensitive values from them (minimality attack), which no"
    " measure here counts.",
    "parts_not_needed": "Labels could depend on sensitive values, too, but nothing better was found that way: people"
    " with equal quasi-identifiers have equal labels.",
    "means": "Every cell is the mean of its group. What is left of each column, by squared error:",
    "mean_left": "{column}: {value}",
    "given": "These levels are the user's choice: {levels}.",
    "bounds": "The user restricted levels to these: {bounds}.",
    # how it is known to be the best
    "proven": "None of {vectors:level vector|level vectors} is better: {evaluated} evaluated, {by_goals} excluded"
    " because too many {unit} would have to be suppressed, {by_bound} because they lose more.",
    "better": "Not the best: the levels were chosen, and others that meet the goals are better. With {levels}:"
    " {measure} {value}, not {best}; {rows} suppressed.",
    "not_proven": "Not proven to be the best, since the search was stopped. Of {vectors:level vector|level vectors},"
    " {evaluated} were evaluated, {by_goals} excluded because too many {unit} would have to be suppressed, {by_bound}"
    " because they lose more; {open} are open.",
    "not_proven_removed": "Not proven to be the best: classes that failed once others were removed had to be removed,"
    " too. Of {vectors:level vector|level vectors}, {evaluated} were evaluated, {by_goals} excluded because too many"
    " {unit} would have to be removed, {by_bound} because they lose more.",
    "proven_groups": "No other groups of this column lose less.",
    "not_proven_groups": "Not proven to be the best: other groups may lose less.",
    "not_proven_rounds": "Not proven to be the best: it was improved in {rounds:round|rounds}, and other recodings may"
    " lose less.",
    "bound_above": "No other has a {measure} above {bound}; this one has {value}.",
    "bound_below": "No other has a {measure} below {bound}; this one has {value}.",
    # what else there was
    "next_best": "The next best level vector takes {levels}: {measure} {value}, not {best}; {rows} suppressed.",
    "next_best_found": "The next best that was found takes {levels}: {measure} {value}, not {best}; {rows} suppressed."
    " There may be one between them.",
    "next_best_tie": "The next best level vector takes {levels}: {measure} {value}, too; {rows} suppressed. Of equals,"
    " the one with fewer suppressed rows is taken, then the one with lower levels.",
    "no_other": "No other level vector meets the goals.",
    "no_other_found": "No other level vector that meets the goals was found.",
    "more": "With {rate:%} instead of {before:%} suppressed at most, it would take {levels}: {measure} {value}, not"
    " {best}; {rows} suppressed.",
    "more_nothing": "With {rate:%} instead of {before:%} suppressed at most, nothing would be gained.",
    "more_not_found": "With {rate:%} instead of {before:%} suppressed at most, nothing better was found.",
}


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


COMPARISON = {
    "comparison": "comparison of releases",
    "file_line_short": "{rows:row|rows} · {classes:class|classes}",
    "cmp_question": "Which candidate should be released?",
    "cmp_both_hold": "Both hold",
    "cmp_all_hold": "All {all} hold",
    "cmp_some_hold": "{holds} of {all} hold: {letters}",
    "cmp_one_holds": "Only {letters} holds",
    "cmp_none_holds": "None of {all} holds",
    "cmp_unknown": "{all} candidates; not every requirement could be evaluated",
    "cmp_no_requirements": "{all} candidates, no requirements given",
    "cmp_keeps_most": "{headline}; {letter} keeps most",
    "cmp_suppresses": "{letter} suppresses {people} of {rows:person|people} ({share:%}).",
    "cmp_alike": "The candidates differ in no value.",
    "cmp_front": "On the front of risk and utility: {letters}.",
    "cmp_beaten": "{letter} is not, since {other} is nowhere worse.",
    "cmp_table": "The candidates side by side",
    "cmp_only_differences": "only what differs",
    "cmp_protection": "Protection",
    "cmp_costs": "What it costs",
    "cmp_best": "best",
    "cmp_suppressed": "People suppressed",
    "cmp_loses_rows": "Value that loses most rows",
    "cmp_loses_rows_sub": "to suppression",
    "cmp_rows_left": "{column} {value}: {share:%} of its rows are published",
    "cmp_loses_detail": "Value that loses most detail",
    "cmp_loses_detail_sub": "rows no longer at the finest level of their column",
    "cmp_detail_left": "{column} {value}: {share:%} of its rows say so",
    "cmp_loser_none": "none",
    "cmp_loser_gone": "one that no published row has any more; it is not named",
    "cmp_loser_untold": "not told",
    "cmp_loser_level": "each column has one level in all rows",
    "cmp_on_front": "On the front",
    "cmp_on_front_sub": "no other is as good in risk (highest and mean), granularity and suppressed people together",
    "cmp_yes": "yes",
    "cmp_no": "no: {letter} is nowhere worse",
    "cmp_changes": "Who gains and loses, beside {letter}",
    "cmp_grew": "In a larger class",
    "cmp_shrank": "In a smaller class",
    "cmp_suppressed_here": "Suppressed only here",
    "cmp_published": "Suppressed only in {letter}",
    "cmp_levels": "Level of each column",
    "cmp_column_score": "granularity {value}",
    "cmp_key_original": "as original",
    "cmp_key_generalised": "generalised",
    "cmp_key_complete": "completely",
    "cmp_key_suppressed": "row suppressed",
    "cmp_values_sub": "Hollow: the original at the level of the candidate. Solid: what would be released.",
    "cmp_kept": "Kept is their share.",
    "cmp_bands": "Where fewer than {least} people have the same labels of a column in all candidates, the rows of its"
    " values are told as ranges, so that nobody can be worked out by subtracting one candidate from another.",
    "cmp_no_labels": "No value is named: from the candidates together it could be worked out which classes have fewer"
    " than {least} people.",
    "cmp_unpaired": "The rows of the candidates do not pair by position, so nobody can be followed from one to another,"
    " and no value is named.",
}
