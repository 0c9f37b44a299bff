"""The application: hierarchies."""

HIERARCHIES: dict[str, str] = {}
