"""All kinds of mistakes in a policy: the text that is replaced, the wrong text, and the expected message."""

ZEROS = "0" * 64

WRONG = [
    # the file as such
    (
        "version = 1",
        "version = 2",
        "policy.toml: unknown version 2 of the file format\n  this PETWorks reads version 1",
    ),
    ("version = 1", "", 'policy.toml: missing key "version"\n  add version = 1 as the first line'),
    ("version = 1", "version = '1'", "policy.toml: version must be a whole number, not '1'"),
    ("version = 1", "version = true", "policy.toml: version must be a whole number, not True"),
    ("title", "titel", 'policy.toml: unknown key "titel"\n  did you mean "title"?'),
    ("[roles]", "[rolls]", 'policy.toml: unknown key "rolls"\n  did you mean "roles"?'),
    ("title = ", "title = 5 #", "policy.toml: title must be text, not 5"),
    # data
    ("released.csv", "relesed.csv", 'relesed.csv: there is no such file\n  did you mean "released.csv"?'),
    ('released = "released.csv"', "", 'policy.toml, [data]: missing key "released"\n  add released = "table.csv"'),
    ('"released.csv"', "5", "policy.toml, [data]: released must be text, not 5"),
    ("original.csv", "orginal.csv", 'orginal.csv: there is no such file\n  did you mean "original.csv"?'),
    (
        '"hierarchies"',
        '"hierarchy"',
        'hierarchy: there is no such folder of hierarchies\n  did you mean "hierarchies"?',
    ),
    ("[roles]", 'key = "id"\n[roles]', 'policy.toml, [data]: released.csv has no column "id" (key)'),
    ("[roles]", 'population = "p.csv"\n[roles]', "p.csv: there is no such file"),
    ("[roles]", 'suppressed = " "\n[roles]', "policy.toml, [data]: suppressed is empty"),
    (
        "[roles]",
        'unknown_values = "generalized"\n[roles]',
        'unknown_values cannot be "generalized"\n  did you mean "generalised"?',
    ),
    (
        "[roles]",
        'encoding = "utf-9"\n[roles]',
        'policy.toml, [data]: there is no encoding "utf-9"\n  did you mean "utf-8"?',
    ),
    (
        "[roles]",
        'delimiter = "ab"\n[roles]',
        "policy.toml, [data]: the delimiter must be one ASCII character, not 'ab'",
    ),
    (
        "[roles]",
        'delimeter = ";"\n[roles]',
        'policy.toml, [data]: unknown key "delimeter"\n  did you mean "delimiter"?',
    ),
    (
        "[roles]",
        'sha256.released = "285879a1"\n[roles]',
        "policy.toml, [data.sha256]: released must be a SHA-256, 64 hexa",
    ),
    (
        "[roles]",
        f'sha256.released = "{ZEROS}"\n[roles]',
        "released.csv: this is not the released table that the policy",
    ),
    (
        "[roles]",
        'sha256.relesed = "0"\n[roles]',
        'policy.toml, [data.sha256]: unknown key "relesed"\n  did you mean "released"?',
    ),
    ("[roles]", 'sha256 = "0"\n[roles]', "policy.toml, [data]: sha256 must be a table, [data.sha256], not '0'"),
    # roles
    (
        '["disease"]',
        '["diseas"]',
        'policy.toml, [roles]: released.csv has no column "diseas" (sensitive)\n  did you mean "disease"?',
    ),
    (
        '["disease"]',
        '["disease", "year"]',
        'policy.toml, [roles]: "year" is given two roles: quasi_identifiers and sensitive\n  name it once',
    ),
    (
        '["disease"]',
        '"disease"',
        'policy.toml, [roles]: sensitive must be a list of names, as in ["age", "sex"], not \'disease\'',
    ),
    ("sensitive =", "sensitiv =", 'policy.toml, [roles]: unknown key "sensitiv"\n  did you mean "sensitive"?'),
    ("[[require]]", 'the_rest = "ignore"\n[[require]]', 'policy.toml, [roles]: the_rest cannot be "ignore"'),
    # requirements
    (
        "t-closeness",
        "t-closness",
        'policy.toml, [[require]] 2: unknown measure "t-closness"\n  did you mean "t-closeness"?',
    ),
    ('measure = "k-anonymity"', "", 'policy.toml, [[require]] 1: missing key "measure"'),
    ('measure = "k-anonymity"', "measure = 3", "policy.toml, [[require]] 1: measure must be text, not 3"),
    ("k = 2", "kk = 2", 'policy.toml, [[require]] 1: unknown key "kk"\n  did you mean "k"?'),
    ("k = 2", "k = 0", "policy.toml, [[require]] 1: k must be at least 1, not 0"),
    ("k = 2", "k = true", "policy.toml, [[require]] 1: k must be a whole number, not True"),
    ("k = 2", "k = nan", "policy.toml, [[require]] 1: k must be a whole number, not 'nan'"),
    ("k = 2", "k = 1979-05-27", "policy.toml, [[require]] 1: k must be a whole number, not datetime.date"),
    (
        "k = 2",
        "",
        "policy.toml, [[require]] 1: no limit is given for k-anonymity\n  its limits: k (at least)",
    ),
    ("k = 2", "k = 2\nwhy = 7", "policy.toml, [[require]] 1: why must be text, not 7"),
    (
        "k = 2",
        "k = { at_most = 2 }",
        "policy.toml, [[require]] 1: k must be a number or { at_least = … }, not {'at_most': 2}",
    ),
    (
        "k = 2",
        "k = { at_least = 2, at_most = 3 }",
        "policy.toml, [[require]] 1: k must be a number or { at_least = … }",
    ),
    ("k = 2", "k = { at_least = 0 }", "policy.toml, [[require]] 1: k must be at least 1, not 0"),
    (
        't = "2/5"',
        't = 1\ndistance = "ordred"',
        "policy.toml, [[require]] 2: distance cannot be 'ordred'\n  did you mean \"ordered\"?",
    ),
    (
        't = "2/5"',
        "t = 1\ndistance = { at_most = 1 }",
        "policy.toml, [[require]] 2: distance is not a limit",
    ),
    (
        't = "2/5"',
        't = 1\nsensitive = "diseese"',
        'policy.toml, [[require]] 2: "diseese" is not a sensitive attribute\n  did you mean "disease"?',
    ),
    ("t-closeness", "class sizes", 'policy.toml, [[require]] 2: unknown key "t"'),
    (
        '"t-closeness"\nt = "2/5"',
        '"class sizes"',
        "policy.toml, [[require]] 2: no limit is given for class sizes\n  it has no",
    ),
    (
        '"t-closeness"\nt = "2/5"',
        '"profitability"\ncost = 4',
        "policy.toml, [[require]] 2: profitability needs gain, loss, benefit",
    ),
    (
        '"t-closeness"\nt = "2/5"',
        '"l-diversity"\nl = 2\nvariant = "recursive"',
        "policy.toml, [[require]] 2: no limit is given for l-diversity",
    ),
    (
        '"t-closeness"\nt = "2/5"',
        '"l-diversity"\nl = 2\nc = 2',
        "policy.toml, [[require]] 2: c is a limit of the recursive variant, not of the distinct one",
    ),
    (
        '"t-closeness"\nt = "2/5"',
        '"re-identification"\nthreshold = 0.5',
        "its limits: highest (at most), average (at most), above (at most)",
    ),
    (
        '"t-closeness"\nt = "2/5"',
        '"utility bias"\nmax_bias = 1\nfunction = "builtins:len"',
        "a policy file runs no code",
    ),
    # report
    ("version = 1", "version = 1\nreport = 3", "policy.toml: report must be a table, [report], not 3"),
    ("at_least = 0.5", 'at_least = 0.5\n[report]\nlanguage = "fr"', 'policy.toml, [report]: language cannot be "fr"'),
    (
        "at_least = 0.5",
        'at_least = 0.5\n[report]\nhmtl = "r.html"',
        'policy.toml, [report]: unknown key "hmtl"\n  did you mean "html"?',
    ),
    ("at_least = 0.5", "at_least = 0.5\n[report]\nhtml = true", "policy.toml, [report]: html must be text, not True"),
    (
        "at_least = 0.5",
        'at_least = 0.5\n[report]\naudience = "publc"',
        'policy.toml, [report]: audience cannot be "publc"\n  did you mean "public"?',
    ),
    (
        "at_least = 0.5",
        'at_least = 0.5\n[report]\naudience = "public"\nshow_small_classes = true',
        "policy.toml, [report]: small classes are not for the public",
    ),
    (
        "at_least = 0.5",
        'at_least = 0.5\n[report]\nshow_small_classes = "no"',
        "show_small_classes must be true or false, not 'no'",
    ),
    (
        "at_least = 0.5",
        'at_least = 0.5\n[report]\nhtml = "released.csv"',
        "policy.toml, [report]: html would overwrite released.csv",
    ),
    (
        "at_least = 0.5",
        'at_least = 0.5\n[report]\nhtml = "r"\njson = "./r"',
        "policy.toml, [report]: json would overwrite the html report",
    ),
]
