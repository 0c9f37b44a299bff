"""The application: release."""

RELEASE: dict[str, str] = {}
