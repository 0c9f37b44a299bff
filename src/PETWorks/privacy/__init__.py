"""Privacy models: how well people are hidden. One file, one measure."""
