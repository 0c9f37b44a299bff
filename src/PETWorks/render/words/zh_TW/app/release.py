"""The application: release (繁體中文)."""

RELEASE: dict[str, str] = {}
