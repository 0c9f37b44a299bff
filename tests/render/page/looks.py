"""Scripts that find layout mistakes of a page in a browser, such as text that overflows."""

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

TAGS = "[...document.querySelectorAll('*')].map((one) => one.tagName)"
ATTRIBUTES = "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())"
