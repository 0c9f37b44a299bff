"""A policy to start from."""

STARTING: dict[str, str] = {
    "policy_head": "Written by petworks init after a look at {table}. Roles and hierarchies are"
    " suggestions: read each with its reason, and change what is wrong.",
    "policy_roles": "The role of each column. Identifiers are masked; quasi-identifiers are what others may"
    " know; sensitive columns must not be learned; insensitive ones are neither.",
    "policy_yours": "Decided by you.",
    "policy_open": "For you to decide: put each of these columns into one of the lists above.",
    "policy_require": "What must hold before the table may leave is for you to decide, for example:",
    "policy_template": "The requirements of a template: to start from, never a claim of conformity.",
    "policy_suppress": "At most so many rows may be suppressed; yours to decide.",
    "ask_role": "{column}: 1 identifier, 2 quasi-identifier, 3 sensitive, 4 insensitive, 0 decide later [{number}] ",
    "ask_k": "How many people must at least be alike in all quasi-identifiers (k)? [decide later] ",
    "ask_again": "Please type one of: {choices}",
    "wrote": "{file} has {roles} of {columns:column|columns} with a role, and {requirements:requirement|requirements}.",
    "left_roles": "Decide the role of: {names}",
    "left_hierarchies": "No hierarchy yet, so values are kept or suppressed, until you group them: {names}",
    "left_requirements": "Add at least one [[require]].",
    "left_template": 'Replace each "fill in" by what you decide: {keys}',
    "next": "Then: {command}",
}
