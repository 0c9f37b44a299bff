"""Risk: how likely people are to be re-identified. Each file has one measure."""
