"""Templates: policies to start from, each with its sources. A file has what follows `head.toml` in the policy."""
