"""The application, step 1: which table is it about?"""

OPEN: dict[str, str] = {
    "open_question": "Which table is it about?",
    "open_empty": "Choose a table, or try the demonstration",
    "open_did_table": "opened {table}",
    "open_did_found": "opened a policy that existed",
    "open_did_outside": "policy.toml was changed outside",
}
