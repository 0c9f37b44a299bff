/* Keys of strips: up and down go from column to column, L says that the column in which the focus is may not be coarser.

   [data-strip]           a column with its steps, which are radio buttons: left and right go from step to step
   [data-strip-key=x]     is clicked by that key, in the strip that has the focus
*/
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const strip = event.target.closest("[data-strip]");
    if (!strip) return;
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
})();
