"""The application: explore (繁體中文)."""

EXPLORE: dict[str, str] = {}
