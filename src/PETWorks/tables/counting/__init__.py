"""Counting: rows become a tally.

Batches of coded rows come in, a `Tally` comes out: distinct combinations of values with their counts. Counting keeps to
a memory limit, spills to disk, and summarises what does not fit by its class sizes. This room knows neither files nor
roles nor measures; it uses `errors` and `progress` only.
"""
