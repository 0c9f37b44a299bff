"""Rendering: text, tables, the HTML page, Markdown, JUnit and JSON, in English and 繁體中文.

The words are chosen here, and nothing is measured. What may be shown is decided in `evaluation`; the page receives a view
from which no facts can be reached. `presenter` is what results call to show themselves.
"""
