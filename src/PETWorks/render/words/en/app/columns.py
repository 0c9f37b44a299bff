"""The application: columns."""

COLUMNS: dict[str, str] = {
    # the answer
    "columns_question": "What does each column say about a person?",
    "columns_open": "{open} of {columns} columns wait for your decision",
    "columns_open_one": "1 of {columns:column|columns} waits for your decision",
    "columns_done": "All {columns} columns are decided",
    "columns_no_quasi": "Nobody can be told apart by nothing: choose at least one quasi-identifier",
    "columns_lead": "As decided so far, {small:b} of {rows:person|people} ({share:%}) are in classes of fewer than 5,"
    " and {alone:b} of them are like nobody else. This is the original table: nothing has been generalised yet.",
    "columns_lead_none": "No column is decided to be a quasi-identifier so far, so all {rows:person|people} look alike."
    " Figures below are for each column by itself.",
    "columns_lead_suggested": "If all suggestions are confirmed, {small:b} of {rows:person|people} ({share:%}) will be"
    " in classes of fewer than 5.",
    "columns_lead_unknown": "How many people are singled out is not known: the combinations of values do not fit in"
    " the memory.",
    "columns_lead_counting": "A column that may name people became a quasi-identifier: the rows are counted again.",
    "columns_bands": "All {rows:person|people}, by how many share their class now",
    "columns_band": "{low}–{high} people",
    "columns_band_last": "{low} or more",
    "columns_lead_rows": "As decided so far, {small:b} of {rows:row|rows} ({share:%}) are in classes of fewer than 5"
    " rows, and {alone:b} of them are like no other row. This is the original table: nothing has been generalised yet.",
    "columns_lead_none_rows": "No column is decided to be a quasi-identifier so far, so all {rows:row|rows} look alike."
    " Figures below are for each column by itself.",
    "columns_lead_suggested_rows": "If all suggestions are confirmed, {small:b} of {rows:row|rows} ({share:%}) will be"
    " in classes of fewer than 5 rows.",
    "columns_bands_rows": "All {rows:row|rows}, by how many rows share their class now",
    "columns_band_rows": "{low}–{high} rows",
    "columns_band_last_rows": "{low} or more",
    "columns_caption_rows": "Columns with what was found, their role, and how many rows they single out",
    "columns_head_singles_rows": "Singles out, rows",
    "columns_reading_rows": "Open decisions first, then as in the file. A suggestion (striped) counts for nothing until"
    " you confirm it. Bars: rows in classes of fewer than 5 rows because of the column.",
    # while the table is looked at
    "columns_busy": "The table is being looked at",
    "columns_busy_lead": "{rows:row|rows} counted so far. You can leave this page; the work goes on.",
    # the table
    "columns_columns": "Columns",
    "columns_keys": "column",
    "columns_key_role": "role",
    "columns_key_confirm": "confirm",
    "columns_key_find": "find",
    "columns_reading": "Open decisions first, then as in the file. A suggestion (striped) counts for nothing until you"
    " confirm it. Bars: people in classes of fewer than 5 because of the column.",
    "columns_caption": "Columns with what was found, their role, and how many people they single out",
    "columns_head_column": "Column",
    "columns_head_found": "What was found",
    "columns_head_role": "Role",
    "columns_head_singles": "Singles out, people",
    "columns_head_state": "State",
    "columns_name": "{column}",
    "columns_cells": "{kind} · {distinct:value|values}",
    "columns_cells_missing": "{kind} · {distinct:value|values} · {missing} missing",
    "columns_role_of": "Role of {column}",
    "columns_short_identifier": "Identifier",
    "columns_short_quasi_identifier": "Quasi-identifier",
    "columns_short_sensitive_attribute": "Sensitive",
    "columns_short_insensitive_attribute": "Insensitive",
    "columns_is_suggested": "suggested",
    "columns_suggested_other": "Suggested: {suggested}. You chose {role}.",
    "columns_if_known": "If people can know it after all, {more} are in classes of fewer than 5, not {small}.",
    "columns_values_hidden": "Values of identifiers are not shown.",
    # how many people a column singles out
    "columns_more": "more, if people can know it",
    "columns_by_itself": "by itself, if people can know it",
    "columns_fewer": "fewer without it",
    "columns_everyone": "everyone",
    "columns_apart_released": "by its values alone; they may name people",
    "columns_apart_left_out": "by its values alone; it will not be released",
    "columns_unknown": "not known",
    # states
    "columns_state_open": "your decision",
    "columns_state_confirmed": "confirmed",
    "columns_state_decided": "decided",
    "columns_confirm": "Confirm",
    "columns_decide": "Set",
    "columns_confirm_of": "Confirm: {column}",
    "columns_decide_of": "Set the role of {column}",
    # finding columns
    "columns_find": "Find",
    "columns_find_name": "Name holds",
    "columns_find_reason": "Reason",
    "columns_find_role": "Role",
    "columns_any": "any",
    "columns_find_open": "open",
    "columns_find_all": "All columns",
    "columns_reason_count": "{reason} ({columns})",
    "columns_reason_looks": "looks like {form}",
    "columns_reason_name": "the name says {topic}",
    "columns_reason_free_text": "free text",
    "columns_reason_no_kind": "values of no known kind",
    "columns_reason_all_different": "no value occurs twice",
    "columns_reason_different": "nearly all values differ",
    "columns_reason_one_value": "one value for everybody",
    "columns_reason_no_value": "all cells are missing",
    "columns_together": "{columns:column has|columns have} this reason and wait. Confirm them together only if the"
    " reason is right for each.",
    "columns_confirm_together": "Confirm {columns:column|columns} as {role}",
    "columns_none_found": "No column fits what is asked for.",
    "columns_part": "{first}–{last} of {columns:column|columns}",
    "columns_part_before": "Columns before",
    "columns_part_next": "Next columns",
    # what to be careful about
    "columns_more_warnings": "{more:more warning|more warnings} of this kind.",
    # what the roles do
    "columns_meaning": "What the roles do",
    "columns_means_identifier": "Names the person by itself. Never written to the release, never shown here.",
    "columns_means_quasi_identifier": "Somebody could know it from elsewhere. Will be made coarser. In doubt, choose"
    " this one.",
    "columns_means_sensitive_attribute": "Must not be learned. Kept as it is; the requirements limit what a class says"
    " about it.",
    "columns_means_insensitive_attribute": "Neither. Kept as it is, and not protected.",
    # the doors
    "columns_back": "Back: Open",
    "columns_next": "Next: Hierarchies",
    "columns_door_open": "Opens when the {open:open column is|open columns are} decided.",
    "columns_door_no_quasi": "Opens when at least one column is a quasi-identifier.",
    # the bar of steps, and the journal
    "columns_standing": "{decided} of {columns} decided",
    "columns_standing_all": "{columns} decided",
    "columns_did_role": "{column}: {role}",
    "columns_did_change": "{column}: {columns_before} → {role}",
    "columns_did_together": "{columns:column|columns}: {role}",
    "columns_before_identifier": "identifier",
    "columns_before_quasi_identifier": "quasi-identifier",
    "columns_before_sensitive_attribute": "sensitive",
    "columns_before_insensitive_attribute": "insensitive",
}
