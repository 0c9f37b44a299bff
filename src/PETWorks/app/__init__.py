"""The application in the browser: ``petworks app``.

It holds no algorithm. Every screen shows what a call of the library returns, and every click changes the policy file of
the project, which the command line reads as well. What was worked out stays on the `Desk`; what was decided is in the
project's folder before it is on the screen. `request_guard.py` stands before every request.
"""
