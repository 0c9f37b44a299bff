"""Tables: the only room that sees rows.

A source (CSV, Parquet, frames, workbooks, SPSS, Spark, …) yields batches of coded columns, `counting` turns them into a
tally within a memory limit, and `rewriting` writes the rows of a release. This room knows neither roles nor measures.
"""
