"""The application: hierarchies (繁體中文)."""

HIERARCHIES: dict[str, str] = {}
