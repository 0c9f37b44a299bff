"""The words of the report page."""

PAGE: dict[str, str] = {}
