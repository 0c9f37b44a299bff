"""Examples for the help of each command. They work as printed once `petworks demo` has run."""

INTRODUCTION = """\
examples:
  petworks demo
  petworks check petworks-demo/policy.toml
  petworks explain petworks-demo/policy.toml k-anonymity
  petworks anonymize petworks-demo/policy.toml

exit codes:
  0 all requirements hold, or nothing was required; 1 something does not hold;
  2 something could not be evaluated (file, role, policy); 130 interrupted
"""

EVALUATE = """\
examples (the files come from: petworks demo):
  petworks evaluate petworks-demo/adult_released.csv
  petworks evaluate petworks-demo/adult_released.csv -q age -q sex -s occupation
  petworks evaluate petworks-demo/adult_released.csv -m k-anonymity --k 3
  petworks evaluate petworks-demo/adult_released.csv -q age -s occupation \\
    --original petworks-demo/adult.csv -m t-closeness -m Precision --t 2/5 \\
    --hierarchies petworks-demo/adult_hierarchy -o report.html

Parameters go to every measure that has them; with a limit, a measure judges.
"""

INIT = """\
It looks at the table as petworks inspect does, asks about every column, and
writes policy.toml: suggested roles with their reasons, suggested hierarchies,
and what is left to decide. Nothing is written if it is interrupted.

examples (the files come from: petworks demo):
  petworks init petworks-demo/adult.csv -o adult-2026 --yes
  petworks init petworks-demo/adult.csv -o adult-k5 --yes \\
    --insensitive workclass -m k-anonymity --k 5
  petworks init petworks-demo/adult.csv -o adult-cms --yes --template cms-11
"""

INSPECT = """\
Values that fewer than five people have are not shown, nor are identifiers.

examples (the files come from: petworks demo):
  petworks inspect petworks-demo/adult.csv
  petworks inspect petworks-demo/adult.csv --lang zh_TW
  petworks inspect petworks-demo/adult.csv -o inspection.json
"""

VERIFY = """\
examples (after: petworks demo):
  petworks check petworks-demo/policy.toml -o petworks-demo/report.json
  petworks verify petworks-demo/report.json

The files are found by their names, in the folder of the report and the folders
in it, or in those of --folder. Values are computed again, and compared.

exit codes:
  0 all is the same; 1 a file, a value or a verdict is not;
  2 it cannot be verified (a file is lacking, or was a table in memory)
"""

CHECK = """\
A policy file names the data, the role of each column, and the limits to keep:

  version = 1
  [data]
  released = "adult_released.csv"
  [roles]
  quasi_identifiers = ["age", "sex"]
  sensitive = ["occupation"]
  the_rest = "insensitive"
  [[require]]
  measure = "k-anonymity"
  k = 5
  [report]
  html = "report.html"

petworks demo writes one with more. The files of [report] are written on every
check. Exit code 0: all holds; 1: something does not; 2: could not be evaluated.

examples (the files come from: petworks demo):
  petworks check petworks-demo/policy.toml
  petworks check petworks-demo/policy.toml --lang zh_TW
  petworks check petworks-demo/policy.toml --format markdown
  petworks check petworks-demo/policy.toml -o petworks.xml --format junit
"""

ANONYMIZE = """\
The same policy file as of petworks check: its requirements are the goals. The
section [anonymize], which may be left out, says what may be done to meet them:

  [anonymize]
  suppress_at_most = "5%"
  [anonymize.coarsest]
  sex = 0

The release is measured again before its file takes its name. Ctrl-C stops the
search, with the best that was found so far.

examples (the files come from: petworks demo):
  petworks anonymize petworks-demo/policy.toml --dry-run
  petworks anonymize petworks-demo/policy.toml -o petworks-demo/made.parquet
  petworks anonymize petworks-demo/policy.toml     # the file that [data] names
  petworks check petworks-demo/policy.toml         # now all requirements hold

exit codes:
  0 the release was made; 1 the goals cannot be met; 2 bad input
"""

EXPLAIN = """\
examples (the files come from: petworks demo):
  petworks explain petworks-demo/policy.toml
  petworks explain petworks-demo/policy.toml t-closeness --lang zh_TW
  petworks explain petworks-demo/adult_released.csv k-anonymity -q age --k 3

exit codes:
  0 it was explained, whether or not it holds; 2 something could not be
  evaluated (file, role, policy)
"""

HIERARCHY = """\
It prints how many groups each level has, how many people the smallest has, and
which values are not covered. Values of fewer than five people are not shown.

A file that was written has a line for each value: the value; its group on level
1; on level 2; and so on. Edit it to group values by hand, and look again with
--file. A policy names it under [hierarchies.<column>], or holds the rule.

examples (the files come from: petworks demo):
  petworks hierarchy petworks-demo/adult.csv age
  petworks hierarchy petworks-demo/adult.csv age --widths 5,10,20 -o age.csv
  petworks hierarchy petworks-demo/adult.csv age --file age.csv
  petworks hierarchy petworks-demo/adult.csv native-country --share 1%,5%

exit codes:
  0 every value is covered; 1 some values are not; 2 bad input
"""

MEASURES = """\
examples:
  petworks measures
  petworks measures t-closeness
  petworks measures l-diversity --lang zh_TW
"""

TEMPLATES = """\
A template is a policy with its sources, never a claim of conformity. A key that
you must decide is "fill in"; check reports an error until you replace it.

examples:
  petworks templates
  petworks templates tw-research
  petworks templates ipc-ontario-2025 > policy.toml
"""

DEMO = """\
It writes a release of census data, its original, hierarchies and a policy to a
folder, judges the release by the policy, and writes the report. Run again, it
restores these files.

examples:
  petworks demo
  petworks demo another-folder --lang zh_TW
"""

COMPLETION = """\
examples:
  petworks completion bash > petworks.bash     # then: source petworks.bash
  petworks completion zsh > _petworks          # in a folder of $fpath
  petworks completion fish > petworks.fish     # in ~/.config/fish/completions
"""

APP = """\
It opens your browser, and stops an hour after you last used it, or with Ctrl-C.
Every change is in the project's folder before it is on the screen. The address
works once. The project of a table is a folder beside it.

examples (the files come from: petworks demo):
  petworks app
  petworks app petworks-demo/adult.csv
  petworks app petworks-demo --lang zh_TW
  petworks app --root petworks-demo --no-browser
"""

COMPARE = """\
examples (the files come from: petworks demo):
  petworks compare petworks-demo/adult_released.csv petworks-demo/adult.csv \\
    --policy petworks-demo/policy.toml --name released --name original
  petworks compare petworks-demo/adult_released.csv petworks-demo/adult.csv \\
    --policy petworks-demo/policy.toml -o compare.html

exit codes:
  0 a release holds all requirements; 1 none does; 2 they cannot be compared
"""

EXAMPLES = {
    "": INTRODUCTION,
    "init": INIT,
    "inspect": INSPECT,
    "evaluate": EVALUATE,
    "check": CHECK,
    "anonymize": ANONYMIZE,
    "app": APP,
    "compare": COMPARE,
    "explain": EXPLAIN,
    "verify": VERIFY,
    "hierarchy": HIERARCHY,
    "measures": MEASURES,
    "templates": TEMPLATES,
    "demo": DEMO,
    "completion": COMPLETION,
}
