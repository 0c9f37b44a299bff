"""The application: compare."""

COMPARE: dict[str, str] = {}
