from PETWorks import PETValidation, report

originalData = "data/adult.csv"
anonymizedData = "data/adult_anonymized.csv"
dataHierarchy = "data/adult_hierarchy"

result = PETValidation(
    originalData, anonymizedData, "Non-Uniform Entropy", dataHierarchy=dataHierarchy
)
report(result, "json")
