"""Risk: how likely people are to be found. One file, one measure."""
