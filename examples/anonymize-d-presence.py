import pandas as pd

from PETWorks import PETAnonymization, output
from PETWorks.attributetypes import INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER

originalData = "data/delta.csv"
dataHierarchy = "data/delta_hierarchy"
population = pd.read_csv(originalData, sep=";", dtype=str)
subsetData = population[population["salary-class"] == ">50K"]

attributeTypes = {
    "zip": QUASI_IDENTIFIER,
    "age": QUASI_IDENTIFIER,
    "nationality": QUASI_IDENTIFIER,
    "salary-class": INSENSITIVE_ATTRIBUTE,
}

result = PETAnonymization(
    originalData,
    "d-presence",
    dataHierarchy,
    attributeTypes,
    maxSuppressionRate=0.2,
    dMin=0.0,
    dMax=0.7,
    subsetData=subsetData,
)
output(result, "output.csv")
