"""Privacy models: how well people are hidden. Each file has one measure."""
