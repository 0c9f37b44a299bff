"""The application: explore."""

EXPLORE: dict[str, str] = {}
