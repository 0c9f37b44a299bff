"""HTML that was read strictly: elements with their attributes and text; what is not closed is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass(eq=False)
class Element:
    """An element; its parts are elements and texts."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    parts: list[Element | str] = field(default_factory=list, repr=False)

    def get(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, default)

    @property
    def text(self) -> str:
        """The text within, with single blanks."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part._texts()

    def walk(self) -> Iterator[Element]:
        waiting = [part for part in reversed(self.parts) if isinstance(part, Element)]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += [part for part in reversed(one.parts) if isinstance(part, Element)]

    def all(self, tag: str) -> list[Element]:
        return [one for one in self.walk() if one.tag == tag]

    def first(self, tag: str) -> Element:
        return self.all(tag)[0]

    def within(self, tag: str) -> bool:
        return self.parent is not None and (self.parent.tag == tag or self.parent.within(tag))


class Markup(Element):
    """A page, or fragments of one. Its elements are listed once: tests ask for them again and again."""

    problems: list[str]
    elements: list[Element]

    @cached_property
    def ids(self) -> dict[str, Element]:
        return {one.attributes["id"]: one for one in self.elements if "id" in one.attributes}

    @cached_property
    def _by_tag(self) -> dict[str, list[Element]]:
        found = dict[str, list[Element]]()
        for one in self.elements:
            found.setdefault(one.tag, []).append(one)
        return found

    def walk(self) -> Iterator[Element]:
        return iter(self.elements)

    def all(self, tag: str) -> list[Element]:
        return [*self._by_tag.get(tag, ())]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Markup("", {})
        self.root.problems, self.root.elements = [], []
        self.open: list[Element] = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.root.problems.append(f"an attribute of {tag} twice")
        one = Element(tag, {name: value or "" for name, value in attrs}, self.open[-1])
        self.open[-1].parts.append(one)
        self.root.elements.append(one)
        if tag not in VOID:
            self.open.append(one)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag == tag:
            self.open.pop()
        else:
            self.root.problems.append(f"</{tag}> inside <{self.open[-1].tag}>, line {self.getpos()[0]}")

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


@lru_cache(maxsize=64)
def parsed(text: str) -> Markup:
    """Read HTML. What was read lately is kept: a page that waits is asked for again until it has changed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.root.problems += [f"<{one.tag}> is not closed" for one in reader.open[1:]]
    return reader.root
