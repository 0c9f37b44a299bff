"""Spark DataFrames as sources: counted in their cluster, paired by a key, read from the cluster's files."""
