"""Hierarchies: what is suggested, and how complete one is."""

HIERARCHIES: dict[str, str] = {
    # what is suggested for a column
    "suggest_numbers": "{column}: {values} different numbers: intervals of {widths}.",
    "suggest_dates": "{column}: {values} different dates: {levels}.",
    "suggest_dates_roc": "{column}: {values} different dates of the calendar of Taiwan: {levels}.",
    "suggest_codes": "{column}: {values} different codes: the first {keep} characters.",
    "suggest_places": "{column}: {values} different places of Taiwan: {levels}.",
    "suggest_ordinal": "{column}: {values} different words that seem to have an order: groups of neighbours.",
    "suggest_few": "{column}: {values:value|different values}: kept, or suppressed.",
    "suggest_different": "{column}: {values} different values, nearly one for each row: none is suggested.",
    "suggest_words": "{column}: {values} different words: none is suggested.",
    "question": "Is that right?",
    "question_ordinal": "Is the order right?",
    "question_codes": "Are these codes, and not numbers?",
    "question_different": "Should this column be released at all?",
    "question_words": "Which of them belong together? (parents, or rare_last)",
    "level_day": "day",
    "level_month": "month",
    "level_year": "year",
    "level_five years": "five years",
    "level_decade": "decade",
    "level_district": "township or district",
    "level_county": "county or city",
    "level_region": "region",
    # how complete a hierarchy is
    "covered": "{column}: all {values:value|values} of {people:person|people} are covered.",
    "not_covered": "Not covered in {column}: {lacking} of {values:value|values}, {lacking_people} of"
    " {people:person|people}.",
    "lacks": "{value}: {people:person|people}",
    "lacks_more": "{values:further value|further values}: {people:person|people}",
    "lacks_few": "{values:value|values} of fewer than 5 people each, {people:person|people}, not shown",
    "level": "Level",
    "groups": "Groups",
    "smallest": "Smallest group, people",
    "largest": "Largest groups",
    "in_policy": "In a policy:",
}
