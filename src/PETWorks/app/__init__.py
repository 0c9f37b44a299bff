"""The application in the browser: ``petworks app``.

It holds no algorithm. Every screen shows the result of a call of the library. Every click changes the policy file of
the project, which the command line reads as well. The `Session` caches results; a decision is on disk before the screen
shows it. `request_guard.py` checks every request first.
"""
