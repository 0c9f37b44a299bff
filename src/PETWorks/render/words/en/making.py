"""How a release was made."""

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
