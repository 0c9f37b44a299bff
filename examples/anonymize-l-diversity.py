from PETWorks import PETAnonymization, output
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

originalData = "data/adult.csv"
dataHierarchy = "data/adult_hierarchy"

attributeTypes = {
    "age": QUASI_IDENTIFIER,
    "race": QUASI_IDENTIFIER,
    "workclass": SENSITIVE_ATTRIBUTE,
}

result = PETAnonymization(
    originalData,
    "l-diversity",
    dataHierarchy,
    attributeTypes,
    maxSuppressionRate=0.04,
    l=5,
)
output(result, "output.csv")
