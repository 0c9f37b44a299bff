from PETWorks import PETValidation, report

originalData = "data/adult.csv"
anonymizedData = "data/adult_anonymized.csv"

result = PETValidation(
    originalData, anonymizedData, "AECS"
    )
report(result, "json")
