/* Keys of groups by hand, in a line of the table: arrows go from value to value, with Shift they select on, and F2 goes to
   the name of the group that the value is in.

   [data-line]            a line, with a box for its value
   [data-group=id]        the field with the name of its group
*/
(() => {
  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const line = event.target.closest("[data-line]"), box = line && line.querySelector("[name=value]");
    if (!line) return;
    const step = event.target.matches("[type=checkbox]") && { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step) {
      const lines = [...document.querySelectorAll("[data-line]")], next = lines[lines.indexOf(line) + step];
      const other = next && next.querySelector("[name=value]");
      event.preventDefault();
      if (event.shiftKey) [box, other].forEach((one) => { if (one) one.checked = true; });
      if (other) other.focus();
    } else if (event.key === "F2" && line.dataset.group) {
      const field = document.getElementById(line.dataset.group);
      event.preventDefault();
      if (field) { field.focus(); field.select(); }
    }
  });
})();
