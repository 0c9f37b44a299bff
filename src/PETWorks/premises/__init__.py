"""Check what every verdict takes for granted: the premises.

A requirement is exact about the columns that it judges. The premises are about the rest of the file: that no cell names
a person, that each row is one person, that the other columns single out few people. Each premise is checked on all rows
of the release. One that does not hold fails the verdict, unless somebody accepted it with a reason (`Accept`).
"""
