"""The application: what stands around every screen, and what is said when something cannot be done."""

FRAME: dict[str, str] = {
    "frame_application": "application",
    "frame_colon": ": ",
    "frame_skip": "Skip to the answer",
    "frame_local": "Only on this machine. Saved.",
    "frame_dark": "Dark",
    "frame_hide": "Hide all",
    "frame_steps": "Steps",
    "frame_where": "Step {step} of {of}: ",
    "frame_step_open": "Open",
    "frame_step_columns": "Columns",
    "frame_step_hierarchies": "Hierarchies",
    "frame_step_requirements": "Requirements",
    "frame_step_explore": "Explore",
    "frame_step_compare": "Compare",
    "frame_step_release": "Release",
    "frame_dock": "The last change, undo, and everything as text",
    "frame_undo": "Undo",
    "frame_redo": "Redo",
    "frame_last": "Last: ",
    "frame_as_text": "As text",
    "frame_keys": "Keys",
    "frame_close": "Close",
    "frame_progress": "Progress",
    "frame_look_again": "Look again",
    "frame_stop": "Stop",
    "frame_try_again": "Try again",
    "frame_stopped": "The app has stopped. Nothing is lost: every change was on disk before it was on screen. Start it"
    " again with",
    "frame_changed": "Another window, or program, changed the project meanwhile. This is the state now; your last click"
    " was not applied.",
    "frame_to_state": "Show the state now",
    "frame_policy_problem": "policy.toml was changed outside, and cannot be used: {problem}. The last good state is"
    " shown; correct the file, or go on here to replace it.",
    "frame_stale_title": "The project was changed elsewhere",
    "frame_stale_lead": "Another window, or program, was faster. Your last click was not applied; look at the state"
    " now, and decide again.",
    "frame_bad_request_title": "This request cannot be answered",
    "frame_bad_request_lead": "No page of PETWorks sends it: {problem}. Nothing was changed.",
    "frame_problem_title": "This cannot be done",
    "frame_problem_lead": "{problem}. Nothing was changed.",
    "frame_missing_title": "There is no such page",
    "frame_missing_lead": "Nothing was changed. The steps above lead to all pages.",
    "frame_failed_title": "Something went wrong in PETWorks",
    "frame_failed_lead": "It is a mistake of ours, not yours ({problem}); the terminal in which the app was started"
    " tells more. Nothing is lost: every change was on disk before it was on screen.",
}
