"""Rendering: text, tables, the HTML page, Markdown, JUnit and JSON, in English and 繁體中文.

The words are chosen here, and nothing is measured. `evaluation` decides what may be shown; the page receives a view
from which no facts can be reached. Results call `presenter` to show themselves.
"""
