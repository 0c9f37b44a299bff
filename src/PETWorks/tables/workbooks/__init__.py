"""Excel (.xlsx, .xls) and OpenDocument (.ods) workbooks.

calamine reads the cells. It reads error cells, and formulas whose value was not saved, as blank cells; so the sheet is
checked first, and such cells are errors that name their place.
"""
