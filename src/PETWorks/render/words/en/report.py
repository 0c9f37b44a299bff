"""The words of the report page.

The words of the annex of the report page: its details.

Steps that many measures share. A measure's own stand in its file.
"""

from __future__ import annotations

PAGE = {
    # the bar and what is always there
    "percent": "{share:%}",
    "report": "de-identification report",
    "skip": "Skip to the answer",
    "dark": "Dark",
    "print": "Print",
    "legal": "A measurement of this table, not a legal finding: whether a person can be identified also depends on who"
    " receives the data and what else they hold.",
    "counted_one": 'People are counted, not rows; an adversary is taken to know one record of a person (known="one").',
    "counted_all": 'People are counted, not rows; an adversary is taken to know all records of a person (known="all").',
    "one_row": "One row is taken to be one person.",
    "footer": "This file is self-contained and makes no network request. It holds no original values.",
    "annex": "Annex: the details",
    "signoff_prepared": "Prepared",
    "signoff_reviewed": "Reviewed",
    "signoff_approved": "Approved",
    "holds": "Holds",
    "fails": "Does not hold",
    "na": "Could not be evaluated",
    "nothing": "Nothing to judge",
    "colon": ": ",
    "semicolon": "; ",
    "unasked": "Not evaluated",
    "steps": "Steps",
    "more": "{number} more",
    # the answer
    "headline_fails": "{fails} of {all:requirement|requirements} do not hold",
    "headline_fails_one": "1 of {all:requirement|requirements} does not hold",
    "headline_fails_one_unasked": "1 of {all} requirements does not hold, {unasked} could not be evaluated",
    "headline_fails_unasked": "{fails} of {all} requirements do not hold, {unasked} could not be evaluated",
    "headline_holds": "All {all} requirements hold",
    "headline_holds_one": "The requirement holds",
    "headline_unasked": "{holds} of {all} requirements hold, {unasked} could not be evaluated",
    "headline_none": "{measures} measures, no requirements given",
    "headline_suppressed": "All {rows} rows are suppressed: nothing is published, so nothing can fail.",
    "file_line": "{rows:row|rows} · {columns:quasi-identifier|quasi-identifiers} · {classes:class|classes}",
    "lead_small": "{people:b} of {rows} people ({share:%}) are in classes of fewer than {limit}.",
    "lead_learn": "For {people:b} of {rows} people ({share:%}), being in their class says more about {columns} than the"
    " limit allows.",
    "lead_learn_some": "For {people:b} of {rows} people ({share:%}), being in their class says more about at least one"
    " of {columns} than the limit allows.",
    "lead_fails": "For {people:b} of {rows} people ({share:%}), {measure} does not hold.",
    "lead_other": "{measure} does not hold.",
    "lead_others": "{measure} and {more} more do not hold.",
    "lead_also": "{measure} does not hold either.",
    "lead_alsos": "{count} more do not hold, such as {measure}.",
    "lead_nothing": "All {rows} rows are suppressed: nothing is published.",
    "lead_holds": "No class has fewer than {size:person|people}.",
    "lead_holds_both": "No class has fewer than {size:person|people}, and no class differs from the whole table in"
    " {column} by more than {limit}.",
    "lead_price": "The price: {suppressed:b} of {rows} rows ({share:%}) are suppressed.",
    "lead_detail": "{share:b%} of the original detail is left (Precision {value}).",
    "by_band": "All {rows:person|people}, by how many share their class",
    "band": "{low}–{high} people",
    "band_open": "{low} or more",
    "band_suppressed": "suppressed",
    "band_suppressed_all": "all rows suppressed",
    # clauses
    "clauses": "What do the sources ask for, clause by clause?",
    "clauses_short": "Sources",
    "clauses_sub": "What was measured for each clause, and what no table can show. This is a measurement, no finding"
    " that the release conforms.",
    "not_shown": "No table can show it",
    # requirements
    "requirements": "Requirements",
    "requirements_short": "Requirements",
    "requirements_sub": "On each bar the upright line is the limit and the striped side is not allowed.",
    "no_requirements": "No limits were given, so nothing is judged. A policy file sets them: petworks check --help.",
    "title": "{title}",
    "title_variant": "{title} ({variant})",
    "failing": "{classes} of {all_classes:class|classes}: {people:person|people}",
    "most_at_risk": "1 in {size} for the person most at risk",
    "all_hold": "in all of {all_classes:class|classes}",
    # remedies
    "remedies": "What would help",
    "remedies_short": "What would help",
    "remedies_sub": "Each was tried on this table and everything was measured anew.",
    "suppress_small": "Suppress the small classes.",
    "suppress_some": "Suppress every class that fails {measures}.",
    "suppress_failing": "Suppress every class that fails.",
    "remedies_untold": "What generalising columns would bring is not shown: it would help to work out which classes"
    " have fewer than {least} people. --show-small-classes shows it.",
    "generalise": "Generalise {lifts}.",
    "combine": "Generalise {lifts}, then suppress every class that still fails.",
    "concerned": "{classes:class|classes}, {people:person|people} ({share:%}).",
    "left_failing": "People in classes that fail: {people} now, {left} then.",
    "further_suppressed": "{people:further row is|further rows are} suppressed then ({share:%}).",
    "then_holds": "All requirements then hold.",
    "then_fails": "{fails} of {all} requirements would still not hold, {measure} for one.",
    "then_holds_unasked": "All requirements that could be evaluated then hold.",
    "then_fails_unasked": "{fails} of the {all} requirements that could be evaluated would still not hold,"
    " {measure} for one.",
    "then_precision": "Precision goes from {before} to {after}.",
    "still_failing": "People still failing if one column were generalised further",
    "column": "Column",
    "as_released": "as released",
    # the page for the public
    "public_report": "Public report",
    "public_note": "This page is for readers who may not see the table: it names no value of a column and counts"
    " no class. Values are rounded.",
    "public_measured": "Measured without a limit",
}


ANNEX = {
    # risk
    "risk": "Who could be singled out?",
    "risk_short": "Risk",
    "risk_sub": "Someone who knows a person's quasi-identifiers finds that person among those who share the class. In a"
    " class of {size:person|people}, the smallest here, a guess is right one time in {size}.",
    "sizes": "Class sizes, and the risk that goes with them",
    "released": "Released",
    "original": "Original",
    "class_size": "Class size",
    "risk_up_to": "Risk up to",
    "classes": "Classes",
    "people": "People",
    "bin": "{low}–{high}",
    "bin_one": "{low}",
    "bin_open": "{low}+",
    "limit_line": "the limit asks for {limit} or more",
    "curve": "How many people carry at least a given risk",
    "curve_both": "Risk above {risk}: {before:%} of people in the original, {after:%} in the release. Unique people:"
    " {unique_before} before, {unique_after} now.",
    "curve_one": "Risk above {risk}: {after:%} of people in the release. Unique people: {unique_after}.",
    "curve_free_both": "The highest risk is {before} in the original and {after} in the release; no limit on it was"
    " given. Unique people: {unique_before} before, {unique_after} now.",
    "curve_free_one": "The highest risk is {after}; no limit on it was given. Unique people: {unique_after}.",
    "curve_y": "share of people",
    "curve_x": "re-identification risk, 1 ÷ class size (riskier to the right)",
    "original_by_rows": "The original is not shown beside it: people have several rows, and its classes count rows.",
    "no_original": "Not evaluated: no original table was given (--original FILE).",
    "nothing_published": "Nothing is published, so there is nothing to show.",
    "only_sizes": "Only the sizes of classes are known, since all combinations of values do not fit in memory: there is"
    " nothing to show.",
    # inference
    "inference": "What could be learned about a class?",
    "inference_short": "Inference",
    "inference_sub": "0: the class looks like the whole table. 1: it could not differ more. Lower is better.",
    "no_sensitive": "Not evaluated: no sensitive attribute was named (--sensitive COLUMN).",
    "cloud_of": "Distance of each class from the whole table: {column} ({distance})",
    "cloud_fails": "{fails:class lies|classes lie} above the limit. Of these, {small:has|have} fewer than"
    " {limit_small} people ({small_people} together), and {large:has|have} {limit_large} or more ({large_people}).",
    "cloud_fails_few": "{fails:class lies|classes lie} above the limit; fewer than {limit_small} people: {small},"
    " {limit_large} or more: {large}.",
    "cloud_undrawn": "Neither drawn nor in the table below: {undrawn:class|classes} of fewer than {least} people.",
    "cloud_holds": "None of {classes:class|classes} lies above the limit.",
    "cloud_unjudged": "{classes:class|classes}; the farthest is {value} from the whole table. No limit was given.",
    "within": "within the limit",
    "beyond": "beyond the limit",
    "density": "the darker, the more classes",
    "cloud_y": "Earth Mover's Distance",
    "cloud_x": "people in the class (log scale)",
    "limit_at": "limit {limit}",
    "costly": "The failing classes with most people",
    "costly_note": "Classes of fewer than {least} people are not listed. At most {most} are.",
    "distance": "Distance",
    "diversity": "Different values of {column} in a class",
    "values": "Values",
    # utility
    "utility": "What is left of the data?",
    "utility_short": "Utility",
    "utility_table": "Detail left in each column, least first (0: none, 1: all; higher is better)",
    "levels_kept": "Share of rows that were kept",
    "levels": "Level of its hierarchy, share of rows",
    "level_one": "level {level} of {height}",
    "level_many": "levels {low} to {high} of {height}",
    "levels_differ": "different levels; how many rows are on each is not told",
    "levels_none": "suppressed",
    "kept_all": "kept",
    "kept_some": "kept or suppressed",
    "kept_none": "suppressed",
    "values_before_after": "{before} → {after:value|values}",
    "values_after": "{after:value|values}",
    "all_columns": "All columns",
    "shade0": "as in the original",
    "shade1": "generalised",
    "shade2": "more",
    "shade3": "completely",
    "shade4": "row suppressed",
    "further_columns": "{number:further column|further columns}",
    # values
    "before_after": "Values before and after",
    "before_after_sub": "Hollow: original rows, counted at the level of the release. Solid: released rows.",
    "before_after_flat": "Hollow: original rows. Solid: released rows.",
    "kept_share": "Kept is their share.",
    "released_values": "Released values",
    "released_values_sub": "How many rows have each value.",
    "told_bands": "Some classes have fewer than {least} people. So that nobody can work out which, the rows of a value"
    " are told as a range. --show-small-classes shows the exact numbers, to those who may see the table.",
    "told_no_labels": "Some classes have fewer than {least} people, and even ranges would let somebody work out which."
    " So nothing is told beside a value, and no class is named. --show-small-classes shows everything, to those who may"
    " see the table.",
    "hardest": "Suppression falls hardest on {column} = {value}: {share:%} of its rows are left, against {overall:%}"
    " overall.",
    "hardest_told": "Of the values that may be told, suppression falls hardest on {column} = {value}: {share:%} of its"
    " rows are left, against {overall:%} overall.",
    "hardest_band": "Going by these ranges, suppression falls hardest on {column} = {value}.",
    "compared_at": "compared at level {level}",
    "value": "Value",
    "rows": "Rows",
    "kept": "Kept",
    "rows_before": "Original",
    "values_only": "{values:value|values}",
    "other_values": "{values:other value|other values}",
    # columns
    "columns": "Which columns reveal most?",
    "columns_short": "Columns",
    "columns_sub": "Distinction: different combinations ÷ rows. Separation: share of pairs of rows that the columns"
    " tell apart. Lower is better.",
    "columns_sub_one": "Distinction: different combinations ÷ records, each record of a person once. Separation: share"
    " of pairs of records of different people that the columns tell apart. Lower is better.",
    "columns_sub_all": "Distinction: different sets of records ÷ people. Separation: share of pairs of people whom the"
    " columns tell apart. Lower is better.",
    "columns_withheld": "Sets of columns are in order, the most identifying first as far as the ranges tell. Their"
    " figures are withheld, because they would help to work out classes of fewer than {least} people.",
    "withheld": "withheld",
    "columns_table": "The most revealing set of columns of each size ({compared:set|sets} compared)",
    "columns_of": "Columns",
    "combinations": "Combinations",
    "distinction": "Distinction",
    "separation": "Separation",
    "further_sets": "Further sets",
    # steps
    "every_measure": "Every measure, step by step",
    "every_measure_short": "Steps",
    "open_all": "Open all",
    "close_all": "Close all",
    "reference": "Reference: {text}",
    # why a measure was not evaluated
    "note_needs_original": "No original table was given.",
    "note_needs_sensitive": "No sensitive attribute was named.",
    "note_needs_population": "No population that holds the release was given.",
    "note_needs_weight": "No sampling weights were given.",
    "note_needs_population_size": "Neither a population nor its size was given.",
    "note_needs_parameters": "Not given: {parameters}.",
    "note_too_large": "{combinations} different combinations of {columns} columns need about {needed} of memory, and"
    " {memory} may be used.",
    # record
    "record": "How this was measured, and from what",
    "record_short": "Record",
    "released_table": "Released table",
    "original_table": "Original table",
    "population_table": "Population",
    "table_size": "{rows:row|rows} × {columns:column|columns}",
    "table_columns": "{columns:column|columns}",
    "digest_left_out": "digest left out",
    "quasi_identifiers": "Quasi-identifiers",
    "sensitive": "Sensitive",
    "identifiers": "Identifiers",
    "insensitive": "Insensitive",
    "hierarchies": "Hierarchies",
    "hierarchy": "{column} (height {height})",
    "no_hierarchies": "None: a value is either kept or suppressed.",
    "other_files": "Other files",
    "reading": "Reading",
    "reading_unknown_values": "values that a hierarchy lacks count as fully generalised",
    "reading_known_one": "people by {column}; an adversary knows one record of a person",
    "reading_known_all": "people by {column}; an adversary knows all records of a person",
    "reading_unknown_person_together": "rows without a person are one person",
    "reading_unknown_person_each": "rows without a person are one person each",
    "reading_weight": "sampling weights {given}",
    "reading_delimiter": "delimiter {given}",
    "reading_encoding": "encoding {given}",
    "reading_sheet": "sheet {given}",
    "reading_value_labels": "value labels as {given}",
    "pairing": "Pairing",
    "paired_by_key": "Rows of original and release belong together by the column {column}.",
    "paired_by_position": "Rows of original and release belong together by their position.",
    "paired_checked": "Wherever rows are compared, it was checked that they seem to belong together.",
    "paired_unchecked": "Whoever made the report vouches for that: it was not checked.",
    "suppressed_rows": "Suppressed rows",
    "record_suppressed": "{suppressed} of {rows} rows have {marker} in every quasi-identifier. They form no class;"
    " their sensitive values, where published, stay in the overall distribution.",
    "missing_cells": "Missing cells",
    "no_missing": "None. A missing cell would count as a value of its own.",
    "some_missing": "They count as a value of their own:",
    "small_classes": "Small classes",
    "record_exact": "Every class has at least {least} people, so everything is told exactly.",
    "record_bands": "Some classes have fewer than {least} people. This report tells how many, never which: the rows of"
    " a value are told as ranges, and only larger classes are named.",
    "record_no_labels": "Some classes have fewer than {least} people. This report tells how many, never which: nothing"
    " is told beside a value, and no class is named.",
    "record_everything": "Values of small classes are shown in this report: keep it to yourself.",
    "made": "Made",
    "repeat": "Repeat",
}


LEADS = {"untold": "What it does not tell: ", "improve": "What would improve it: "}

STEPS = {
    "grouped": "Grouped {rows:published row|published rows} by {columns} into {classes:class|classes};"
    " {suppressed:suppressed row forms|suppressed rows form} no class.",
    "grouped_all": "Grouped {rows:row|rows} by {columns} into {classes:class|classes}.",
    "grouped_people_one": "Grouped {rows:published row|published rows} of {people:person|people} by {columns} into"
    " {classes:class|classes}. A class has the people who have a row in it, {pairs} in all classes together;"
    " {suppressed:suppressed row forms|suppressed rows form} none.",
    "grouped_people_all": "Grouped {people:person|people} with {rows:published row|published rows} by {columns} into"
    " {classes:class|classes}. The people of a class have the same rows; {suppressed:suppressed row counts|suppressed"
    " rows count} for none.",
    "nothing_published": "All rows are suppressed: nothing is published, so nothing can fail.",
    "hopeless": "Beyond every limit: {classes} of {all_classes:class|classes}.",
    "deciding": "Of {all_classes:class|classes}, the one that decides has {size:person|people}: {values}.",
    "deciding_withheld": "Of {all_classes:class|classes}, the one that decides has {size:person|people}; its values"
    " are withheld.",
    "deciding_by_size": "Of {all_classes:class|classes}, the one that decides has {size:person|people}.",
    "few_people": "Of {all_classes:class|classes}, the one that decides has {size:person|people}, so its values are"
    " withheld (fewer than {least} people).",
    "few_holders": "Of {all_classes:class|classes}, the one that decides has {size:person|people}. Fewer than {least}"
    " of them hold the value that decides, so its values are withheld.",
    "stand_in": "The same computation for the largest class that may be described, {size:person|people}: {values}.",
    "stand_in_failing": "The same computation for the failing class with most people that may be described,"
    " {size:person|people}: {values}.",
    "few_decide": "Of {all_classes:class|classes}, one of fewer than {least} people decides. It is not described.",
    "instead": "The largest class that may be named has {size:person|people}: {values}.",
    "instead_failing": "Of the failing classes that may be named, the largest has {size:person|people}: {values}.",
    "shares_withheld": "The shares that make up the score are not shown: they would help to work out the classes of"
    " fewer than {least} people.",
    "no_stand_in": "No other class may be described either: each has, or tells of, fewer than {least} people.",
    "alike": "The smallest class has {size:person|people}; {classes:class has|classes have} that size.",
    "counting_values": "A person can hold several values. No more values count than the class has people; and those"
    " that are held only by people who hold one and the same other value, too, do not count.",
    "values_of_few": "Different values: {values}, but no more count than there are people: {score}.",
    "values_implied": "Different values: {values}. Of these, {implied:value is|values are} held only by people who hold"
    " one and the same other value, too: {values} - {implied} = {score}.",
    "value_count": "{value}: {count:person|people}",
    "other_counts": "other values, together: {count:person|people}",
    "counts_withheld": "Values that fewer than {least} people of the class hold are not told one by one."
    " The score of the class is {score}.",
    "suppressing": "Suppressing what fails, {classes:class|classes} with {people:person|people}, would make it hold.",
    "generalising": "Generalising {column} completely would take those beyond the limit from {people:person|people} to"
    " {left}.",
    "generalising_level": "Generalising {column} to level {level} would take those beyond the limit from"
    " {people:person|people} to {left}.",
    "further_suppressed": "That would suppress {rows:further row|further rows}, of which no value would be left.",
    "by_column": "Looked at {columns:column|columns}; those that lost most:",
    "column_loss": "{column}: {lost} of {possible} lost, {value} is left",
    "column_score": "{column}: {value} is left",
    "placed": "Above the least: {value} - {least} = {lost}; at most it could be {most} - {least} = {possible}.",
    "nothing_to_lose": "Nothing could be lost, so the score is {value}.",
    "one_minus": "Lost is {lost} of {possible}, a share of {share}: 1 - {share} = {value}. 1 is the original, 0 is"
    " nothing left.",
    "one_minus_cut": "Lost is {lost} of {possible}, a share of {share}. 1 minus that lies outside 0 to 1 and is cut"
    " to {value}.",
    "unjudged": "The value is {value:exact}.",
    "unjudged at most": "The value is {value:exact}; lower is better. No limit was given, so nothing is judged.",
    "unjudged less than": "The value is {value:exact}; lower is better. No limit was given, so nothing is judged.",
    "unjudged at least": "The value is {value:exact}; higher is better. No limit was given, so nothing is judged.",
    "unjudged more than": "The value is {value:exact}; higher is better. No limit was given, so nothing is judged.",
    "unjudged hopeless": "No limit would do, so there is no value. No limit was given, so nothing is judged.",
    "holds at most": "{value} is at most {limit}: it holds.",
    "holds less than": "{value} is less than {limit}: it holds.",
    "holds at least": "{value} is at least {limit}: it holds.",
    "holds more than": "{value} is more than {limit}: it holds.",
    "holds nothing": "No class is published, so the limit {limit} is kept.",
    "fails at most": "{value} is above {limit}: it does not hold.",
    "fails less than": "{value} is not below {limit}: it does not hold.",
    "fails at least": "{value} is below {limit}: it does not hold.",
    "fails more than": "{value} is not above {limit}: it does not hold.",
    "fails at most, classes": "{value} is above {limit}: it does not hold."
    " {classes:class fails|classes fail}, with {people:person|people}.",
    "fails less than, classes": "{value} is not below {limit}: it does not hold."
    " {classes:class fails|classes fail}, with {people:person|people}.",
    "fails at least, classes": "{value} is below {limit}: it does not hold."
    " {classes:class fails|classes fail}, with {people:person|people}.",
    "fails more than, classes": "{value} is not above {limit}: it does not hold."
    " {classes:class fails|classes fail}, with {people:person|people}.",
    "fails hopeless": "No limit would do, so {limit} does not hold. {classes:class fails|classes fail}, with"
    " {people:person|people}.",
}
