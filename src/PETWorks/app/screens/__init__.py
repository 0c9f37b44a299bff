"""One module, or package, for each screen: its `ROUTES`, and `standing`, what the bar of steps tells of it.

`application.py` gathers them. A screen without a place among the steps, such as the text sheet, has no `standing`.
"""
