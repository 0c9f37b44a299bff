"""The application: compare (繁體中文)."""

COMPARE: dict[str, str] = {}
