"""From results to what people read. Words are chosen here, per language; results hold none."""
