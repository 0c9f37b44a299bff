"""Small pieces of HTML: for a notebook, or within Markdown. Text of the user is escaped and isolated."""

from __future__ import annotations

from html import escape

from PETWorks.render.fill import Medium, cut, visible

TAGS = {"en": "en", "zh_TW": "zh-Hant-TW"}  # language tags for the lang attribute


class Html(Medium):
    """HTML: text is escaped; names and cells are code, which cannot change the direction of the text around it."""

    def text(self, text: str) -> str:
        """Escape text of PETWorks itself."""
        return escape(text)

    def name(self, text: str) -> str:
        """Write a name as code."""
        return self.message(cut(visible(text)))

    def message(self, text: str) -> str:
        """Write a message as code."""
        return f'<code style="overflow-wrap:anywhere"><bdi>{escape(visible(text))}</bdi></code>'


HTML = Html()
