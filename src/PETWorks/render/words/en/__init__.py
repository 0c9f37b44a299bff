"""English."""

from PETWorks.render.words.en.app import APP
from PETWorks.render.words.en.command import COMMAND, STARTING, TEMPLATES
from PETWorks.render.words.en.inspection import HIERARCHIES, INSPECTION
from PETWorks.render.words.en.making import COMPARISON, MADE, MAKING
from PETWorks.render.words.en.report import ANNEX, LEADS, PAGE, STEPS
from PETWorks.render.words.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    colon=": ",
    comma=", ",
    separator=", ",
    missing="(missing)",
    band="{}–{}",
    band_below="fewer than {}",
    gap=" ",
    untold="withheld",
    withheld="values withheld",
    lift="{column} to level {level}",
    complete_lift="{column} completely",
    leads=LEADS,
    steps=STEPS,
    page=PAGE | ANNEX | MADE | COMPARISON,
    app=APP,
    command=COMMAND,
    making=MAKING,
    inspection=INSPECTION | STARTING,
    hierarchies=HIERARCHIES,
    templates=TEMPLATES,
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
    scope="{rows:row|rows}, {suppressed} suppressed ({share:%}), {classes:class|classes}",
    failing="{classes} of {all_classes} classes, with {rows} of {all_rows} people, fail the limit.",
    worst="Worst classes:",
    one_class="{values} ({size} of {rows} rows): {score}",
    skipped="Not evaluated",
    more="… and {} more",
    hopeless="Beyond every limit, so that none would hold: {classes} of {all_classes} classes.",
    notes={
        "encoding": "{file} is not UTF-8; no encoding was given, and it was read as {encoding}.",
        "sizes_only": "Only the sizes of classes are known: all different combinations of values do not fit in {memory}"
        " of memory.",
        "too_large": "{combinations} different combinations of {columns} columns need about {needed} of memory, and"
        " {memory} may be used (memory_limit).",
        "known_one": "People are counted, not rows: {people:person|people} with {rows:published row|published rows}."
        ' An adversary is taken to know one record of a person (known="one"). Who is in several classes counts in each:'
        " {pairs} in {classes:class|classes}.",
        "known_all": "People are counted, not rows: {people:person|people} with {rows:published row|published rows}."
        ' An adversary is taken to know all records of a person (known="all"): the people of a class have the same.',
        "joinable": '{column} joins the rows of a person in the release: only known="all" speaks for it.',
        "population_rows": "The population does not say whose rows it has: each is taken for one person, so that people"
        " with several rows count several times.",
        "sidecar": "Settings that were not given were taken from {file}.",
        "misspelt_hierarchy": "The hierarchy {name} fits no column and was not used; rename it if it is that of"
        " {column}.",
        "stray_hierarchies": "Hierarchies that fit no column were not used: {names}.",
        "unexplained": "{cells} of {of} cells of {columns} hold a value that is no generalisation of their original;"
        " measures of levels do not see that loss.",
        "displaced": "about {rows} of {of} rows do not seem to pair with their original: in these, several columns hold"
        " such values.",
        "publishes_identifier": "Published unchanged, though it looks like an identifier: {columns}. Whoever knows such"
        " a value finds the person, whatever the requirements say. Give it the role of an identifier, or be sure that"
        " it names nobody.",
        "never_fails": "No table can fail this requirement; that it holds says nothing: {measure}.",
        "identifier_in_clear": "The release holds identifiers as they are: {columns}. Whoever knows such a value finds"
        " the person, whatever the requirements say. Leave these columns out, or suppress their cells.",
        "removed_requirement": "A requirement was removed after its cost was seen: {measure}, because: {why}",
        "forgiven": "{column}: cells that are not in the hierarchy count as fully generalised: {cells}.",
        "nothing_published": "All rows are suppressed: nothing is published, so nothing can fail.",
        "few_suppressed": "Fewer than {size} people have suppressed rows: whoever is known to be in the table and"
        " matches no class must be one of them.",
        "lookalikes": "Some rows hold a mark such as NA, - or nothing at all in every quasi-identifier, and count as a"
        " class. If they are suppressed rows, say so: suppressed=.",
        "needs_original": "it compares the release with its original: pass original=.",
        "needs_sensitive": "it needs a sensitive attribute: name one in sensitive=.",
        "needs_population": "it compares the release with a population that holds it: pass population=.",
        "needs_weight": "it needs sampling weights: name their column in weight=",
        "needs_population_size": "it needs to know the population: pass population_size= or sampling_fraction= to it,"
        " or population= to the release.",
        "needs_levels": "it needs to know how far each column was generalised: pass original=, or hierarchies= for"
        " {columns}.",
        "needs_parameters": "it needs parameters: {call}.",
        "error": "{text}",
        "withheld": "It is not told, because it would help to work out which classes have fewer than {least} people.",
        "missing": "{column}: missing cells count as a value of their own: {cells}.",
    },
)
