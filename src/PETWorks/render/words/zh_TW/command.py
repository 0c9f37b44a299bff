"""The words of the command line and of its output formats."""

COMMAND: dict[str, str] = {}
