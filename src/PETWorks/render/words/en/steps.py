"""Steps that many measures share. A measure's own stand in its file."""

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
