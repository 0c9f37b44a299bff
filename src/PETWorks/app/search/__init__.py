"""The search for the best release, in a process of its own, so that screens answer meanwhile.

`process.py` runs in that process, `helper.py` in the application. The process counts the table, searches on request,
and evaluates further level vectors when idle. Nothing is lost if it is stopped or killed.
"""
