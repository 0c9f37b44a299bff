/* Keys of rows, where no field has the focus: arrows go from row to row, and a key presses what the row has for it.

   [data-row]             a row that can have the focus
   [data-row-key=x]       is clicked by that key, in the row that has the focus; after Enter the next row has it
*/
(() => {
  const fields = "textarea, select, input:not([type=radio]):not([type=checkbox])";
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches(fields) || localStorage.getItem("petworks-keys") === "off") return;
    const rows = [...document.querySelectorAll("[data-row]")], row = event.target.closest("[data-row]");
    const beside = (step) => rows[rows.indexOf(row) + step] || row;
    if (/^Arrow(Up|Down)$/.test(event.key) && (row || event.target.matches("body, main"))) {
      event.preventDefault();
      const next = beside(event.key === "ArrowDown" ? 1 : -1);
      if (next) next.focus();
    } else if (row && !(event.key === "Enter" && event.target.matches("a, button"))) {
      const one = row.querySelector(`[data-row-key="${CSS.escape(event.key)}"]`);
      if (!one && event.key !== "Enter") return;
      event.preventDefault();
      if (event.key === "Enter") beside(1).focus();
      if (one) one.click();
    }
  });
})();
