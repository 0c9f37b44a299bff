"""Results as text, tables and pages. Words are chosen here, in each language; results hold none."""
