from PETWorks import PETAnonymization, output
from PETWorks.attributetypes import QUASI_IDENTIFIER

originalData = "data/adult.csv"
dataHierarchy = "data/adult_hierarchy"

attributeTypes = {
    "age": QUASI_IDENTIFIER,
    "sex": QUASI_IDENTIFIER,
}

result = PETAnonymization(
    originalData,
    "k-anonymity",
    dataHierarchy,
    attributeTypes,
    maxSuppressionRate=0.04,
    k=6,
)
output(result, "output.csv")
