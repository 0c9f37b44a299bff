"""The screens: a module or package for each, with its `ROUTES` and `describe_step`, its state in the bar of steps.

`serve.py` collects them. A screen that is no step, such as the text sheet, has no `describe_step`.
"""
