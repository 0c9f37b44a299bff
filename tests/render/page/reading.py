"""A page as its reader reads it, without a browser: the text of each section, in one language."""

from __future__ import annotations

from html.parser import HTMLParser

EMPTY = {"meta", "br", "rect", "circle", "line", "path", "use"}  # elements that hold nothing
INLINE = {"span", "b", "code", "bdi", "a", "i"}
UNSEEN = {"style", "script", "title", "svg"}


class Reader(HTMLParser):
    """A parser that collects texts by section, with a blank line where a block begins or ends."""

    def __init__(self, tag: str) -> None:
        super().__init__()
        self.tag, self.open, self.section = tag, [], "head"
        self.sections: dict[str, list[str]] = {}

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if name == "section":
            self.section = given.get("id") or "answer"
        if name not in EMPTY:
            foreign = name == "span" and given.get("lang") not in (None, self.tag)
            hidden = name in ("td", "th") and "hidden" in (given.get("class") or "")
            self.open.append((name, foreign or hidden or name in UNSEEN))
        self._block(name)
        if name in ("b", "span") and "lang" not in given:
            self._add(" ")

    def handle_startendtag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, name: str) -> None:
        while self.open and self.open.pop()[0] != name:
            pass
        self._block(name)
        if name == "b":
            self._add(" ")
        self.section = "between" if name == "section" else self.section

    def handle_data(self, text: str) -> None:
        if not any(unseen for _, unseen in self.open):
            self._add(text)

    def _block(self, name: str) -> None:
        if name not in INLINE | UNSEEN | EMPTY:
            self._add("\n")

    def _add(self, text: str) -> None:
        self.sections.setdefault(self.section, []).append(text)


def read(html: str, language: str) -> dict[str, str]:
    """Return the text of each section in a language, one line for each cell, paragraph or heading."""
    reader = Reader({"en": "en", "zh_TW": "zh-Hant-TW"}[language])
    reader.feed(html)
    texts = {place: "".join(pieces).split("\n") for place, pieces in reader.sections.items()}
    return {
        place: "\n".join(filter(None, (" ".join(line.split()) for line in lines))) for place, lines in texts.items()
    }
