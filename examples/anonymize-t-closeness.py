from PETWorks import PETAnonymization, output
from PETWorks.attributetypes import QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

originalData = "data/adult.csv"
dataHierarchy = "data/adult_hierarchy"

attributeTypes = {
    "age": QUASI_IDENTIFIER,
    "race": QUASI_IDENTIFIER,
    "occupation": SENSITIVE_ATTRIBUTE,
}

result = PETAnonymization(
    originalData,
    "t-closeness",
    dataHierarchy,
    attributeTypes,
    maxSuppressionRate=0.04,
    t=0.2,
)
output(result, "output.csv")
