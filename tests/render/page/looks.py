"""What finds mistakes of a page in a browser: axe, and scripts for layout, such as text that overflows."""

from importlib.resources import files
from typing import Any

import pytest

OVERFLOWING = """() => {
  const wide = document.documentElement.clientWidth, found = [];
  const name = (one) => `${one.tagName}.${one.getAttribute("class")} ${one.textContent.slice(0, 40)}`;
  if (document.documentElement.scrollWidth > wide) found.push("the page");
  for (const one of document.querySelectorAll("body, body *")) {
    if (one.closest(".scroll") && !one.matches(".scroll") || one.closest(".skip, .hidden")) continue;
    const box = one.getBoundingClientRect();
    if (box.width && box.height && (box.left < -0.5 || box.right > wide + 0.5)) found.push(name(one));
    const clipped = getComputedStyle(one).overflowX === "hidden" && one.scrollWidth > one.clientWidth + 1;
    if (clipped && !one.closest("thead, svg")) found.push("clipped: " + name(one));
  }
  return found;
}"""

UNREACHED = """() => [...document.querySelectorAll("*")].filter((one) => {
  const scrolls = ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
  return scrolls && one.scrollWidth > one.clientWidth && one.tabIndex < 0;
}).map((one) => one.className)"""

BROKEN = """() => {
  const cells = ".sizes tbody :is(th, td), .diversity .num, .distribution .num, .left .num";
  const lines = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top / 8))).size;
  };
  return [...document.querySelectorAll(cells)].filter((cell) => lines(cell) > 1).map((cell) => cell.textContent);
}"""

SPLIT = r"""() => {
  const found = [], range = document.createRange();
  const unseen = "script, style, svg, .hidden, .skip, .digest", heading = "thead th, .label, .badge, dt";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text; (text = texts.nextNode());) {
    const box = text.parentElement;
    if (!box.offsetParent || box.closest(unseen) || box.closest("thead")?.offsetWidth === 1) continue;
    const word = box.closest(heading) ? /[^\s\-/，、；（）]+/gu : /[\p{Script=Latin}\p{Script=Greek}\p{N}.,'%]+/gu;
    for (const one of text.data.matchAll(word)) {
      range.setStart(text, one.index);
      range.setEnd(text, one.index + one[0].length);
      const tops = [...range.getClientRects()].filter((line) => line.width).map((line) => line.top);
      if (Math.max(...tops) - Math.min(...tops) > 10) found.push(`${one[0]} in ${box.closest("[class]").className}`);
    }
  }
  return found;
}"""

TAGS = "[...document.querySelectorAll('*')].map((one) => one.tagName)"
ATTRIBUTES = "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())"

AXE = """async () => (await axe.run({resultTypes: ["violations"]})).violations.map(
  (one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).slice(0, 3).join(" | ")}`)"""


def violations(page: Any) -> list[str]:
    """Return what axe finds against a page."""
    script = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    if not page.evaluate("'axe' in window"):
        page.evaluate(files(script).joinpath("axe.min.js").read_text(encoding="utf-8"))
    return page.evaluate(AXE)
