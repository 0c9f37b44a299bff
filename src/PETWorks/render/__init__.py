"""Rendering: text, tables, the HTML page, Markdown, JUnit and JSON, in English and 繁體中文.

Sentences and layouts are chosen here, and nothing is measured. `disclosure` decides what may be shown; a page receives
a view without facts. Results call `presenter` to render themselves.
"""
