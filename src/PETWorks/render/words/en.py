"""English."""

from PETWorks.render.words.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    colon=": ",
    comma=", ",
    brackets=" ({})",
    holds="holds",
    fails="does not hold",
    higher="higher is better",
    lower="lower is better",
    sides={
        "at most": "at most {}",
        "at least": "at least {}",
        "less than": "less than {}",
        "more than": "more than {}",
    },
    scope="{rows} rows, {suppressed} suppressed ({share}), {classes} classes",
    failing="{classes} of {all_classes} classes, with {rows} of {all_rows} people, do not keep the limit.",
    worst="Worst classes:",
    one_class="{values} ({size} of {rows} rows): {score}",
    skipped="Not asked",
    terms={
        "ordered": "ordered",
        "hierarchical": "hierarchical",
        "equal": "equal",
        "distinct": "distinct values",
        "entropy": "entropy",
        "recursive": "recursive",
        "basic": "basic",
        "enhanced": "enhanced",
        "pitman": "Pitman",
        "zayatz": "Zayatz",
        "snb": "SNB",
        "counted": "counted in the population",
        "no_maximum": "the likelihood has no maximum with 0 < alpha < 1",
        "above_one": "the estimate is above 1",
        "no_pairs": "no class has two rows",
        "no_zero": "its equations have no solution",
        "far_off": "the population it fits is more than ten times off",
    },
    parts={
        "publisher": "publisher",
        "adversary": "adversary",
    },
    notes={
        "encoding": "{file} was read as {encoding}.",
        "sidecar": "Settings that were not given were taken from {file}.",
        "stray_hierarchies": "Hierarchies that fit no column were not used: {names}.",
        "unexplained": "{column}: {cells} of {of} cells hold a value that is no generalisation of their original;"
        " measures of levels do not see that loss.",
        "forgiven": "{column}: {cells} cells are in no level of the hierarchy and count as fully generalised.",
        "unpublished": "{part}: {rows} suppressed rows publish no value and are left out of the overall distribution.",
        "nearly_numeric": "{part} is not read as numbers because of: {values}.",
        "too_few_values": "{part} has only {values} values in the whole table: l = {l} cannot hold.",
        "subsets": "{columns} quasi-identifiers: only subsets of up to {most} columns were looked at.",
        "no_estimate": "{estimator} gives no value: {why}.",
        "nothing_published": "All rows are suppressed: nothing is published, so nothing can fail.",
        "missing": "{column}: {cells} missing cells count as a value of their own.",
    },
    demo="The Adult release, measured. Its nine columns are quasi-identifiers;"
    " for t-closeness salary-class is sensitive.",
)
