from PETWorks import PETValidation, report
from PETWorks.attributetypes import QUASI_IDENTIFIER, INSENSITIVE_ATTRIBUTE

origin = "data/delta.csv"
anonymized = "data/delta_anonymized.csv"
dataHierarchy = "data/delta_hierarchy"

attributeTypes = {
    "zip": QUASI_IDENTIFIER,
    "age": QUASI_IDENTIFIER,
    "nationality": QUASI_IDENTIFIER,
    "salary-class": INSENSITIVE_ATTRIBUTE
}

result = PETValidation(
    origin,
    anonymized,
    "profitability",
    dataHierarchy=dataHierarchy,
    attributeTypes=attributeTypes,
    allowAttack=True,
    adversaryCost=4,
    adversaryGain=300,
    publisherLost=300,
    publisherBenefit=1200
)
report(result, "json")
