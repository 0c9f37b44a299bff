"""What a measure is: its base, parameters, bounds, losses, figures and result; and all measures by family."""
