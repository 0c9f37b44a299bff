/* Keys of strips: up and down go from column to column, L says that the column in which the focus is may not be coarser.
   A click into the plot looks at the nearest dot.

   [data-strip]           a column with its steps, which are radio buttons: left and right go from step to step
   [data-strip-key=x]     is clicked by that key, in the strip that has the focus
   [data-spot=address]    a link in the plot that is followed with the place of a click, and the size of the plot
*/
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const strip = event.target.closest("[data-strip]");
    if (!strip || event.target.matches("[type=text]")) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
      const strips = [...document.querySelectorAll("[data-strip]")], next = strips[strips.indexOf(strip) + step];
      const one = next && (next.querySelector("input:checked[type=radio]") || next.querySelector("input"));
      event.preventDefault();
      if (one) one.focus();
    } else if (localStorage.getItem("petworks-keys") !== "off") {
      const one = strip.querySelector(`[data-strip-key="${CSS.escape(event.key.toLowerCase())}"]`);
      if (one) { event.preventDefault(); one.click(); }
    }
  }, true);

  document.addEventListener("click", (event) => {
    const plot = event.target.closest(".pa"), link = plot && plot.querySelector("[data-spot]");
    if (!link || event.target.closest("a")) return;
    const box = plot.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top, box.width, box.height];
    link.href = link.dataset.spot + at.map((one) => Math.max(Math.round(one), 0)).join(".");
    link.click();
  });
})();
