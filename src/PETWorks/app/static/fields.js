/* What somebody types is never lost: an answer is merged around it. A field is in use if it

   - has the focus, and is one to type or choose in,
   - composes (an input method is putting signs together in it),
   - differs from what the page came with, and no answer to that change has come,
   - was refused: what was typed, and why it cannot be, stay beside each other,
   - stands in a form that is sent in a moment.

   Fields in use stay the same elements. What an answer has for one that has only the focus is put there when the focus leaves.
*/
const Fields = (() => {
  const KEPT = "petworks typed ";
  const FIELDS = "input:not([type=hidden], [type=button], [type=submit]), textarea, select";
  const sent = new WeakMap();  /* of a field: the value that was sent last, and whether its answer came */
  const held = new WeakMap();  /* of a field: what the last answer has in its place */
  const pending = new Set();  /* forms that are sent in a moment */
  let composing = null;

  const typing = (one) => Boolean(one) && (one.isContentEditable || /^(TEXTAREA|SELECT)$/.test(one.tagName) || (one.tagName === "INPUT" && !/^(radio|checkbox|range|button|submit)$/.test(one.type)));
  const list = (within) => [...(within !== document && within.matches(FIELDS) ? [within] : []), ...within.querySelectorAll(FIELDS)];
  const box = (one) => /^(radio|checkbox)$/.test(one.type);
  const value = (one) => (box(one) ? `${one.checked}` : one.value);

  /* The value that the page came with. */
  function initial(one) {
    if (box(one)) return `${one.defaultChecked}`;
    if (one.tagName !== "SELECT") return one.defaultValue;
    const chosen = [...one.options].find((option) => option.defaultSelected) || one.options[0];
    return chosen ? chosen.value : "";
  }

  function edited(one) {
    const last = sent.get(one);
    return value(one) !== initial(one) && !(last && last.answered && last.value === value(one));
  }

  /* Edited, and not even sent. */
  function unsent(one) {
    const last = sent.get(one);
    return value(one) !== initial(one) && !(last && last.value === value(one));
  }

  const refused = (one) => one.getAttribute("aria-invalid") === "true";

  /* `answered` is the address of the form that the answer is for: what it says of its own fields counts. */
  const stays = (one, answered) => refused(one) && one.value !== "" && !(one.form && one.form.getAttribute("action") === answered);
  function used(one, answered) {
    if (one === composing || (one === document.activeElement && typing(one)) || edited(one)) return true;
    return pending.has(one.form) || stays(one, answered);
  }

  /* The parts within an element that stay: fields in use, each refused one with its reason. */
  const parts = (within, answered) => list(within).filter((one) => used(one, answered)).map((one) => (stays(one, answered) && one.closest(".field")) || one);

  /* The element in `fresh` that stands for one of `old`: by its id, or the same place among those of its name. */
  function counterpart(one, old, fresh) {
    if (one.id) return fresh.id === one.id ? fresh : fresh.querySelector(`#${CSS.escape(one.id)}`);
    const field = one.matches(FIELDS) ? one : one.querySelector(FIELDS);
    if (!field || !field.name) return null;
    const same = (within) => list(within).filter((other) => other.name === field.name && (!box(other) || other.value === field.value));
    const twin = same(fresh)[same(old).indexOf(field)];
    return one === field || !twin ? twin : twin.closest(".field");
  }

  function copy(old, fresh, without = []) {
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !without.includes(name)) old.removeAttribute(name);
    for (const { name, value: text } of fresh.attributes) if (old.getAttribute(name) !== text && !without.includes(name)) old.setAttribute(name, text);
  }

  /* Put what an answer has for a field that is in use around what stands in it. */
  function adapt(one, fresh) {
    if (!one.matches(FIELDS)) return;
    if (!edited(one) && value(one) !== initial(fresh) && !(box(one) && one.value !== fresh.value)) { held.set(one, document.importNode(fresh, true)); return; }
    held.delete(one);
    if (one === composing) return;
    copy(one, fresh, one.tagName === "SELECT" ? [] : ["type"]);
    if (one.tagName === "TEXTAREA" && one.defaultValue !== fresh.defaultValue) one.defaultValue = fresh.defaultValue;
  }

  /* Replace an element by another; what is in use within it stays. */
  function merge(old, fresh, answered = "") {
    const stay = parts(old, answered);
    if (!stay.length || old.tagName !== fresh.tagName) { old.replaceWith(document.importNode(fresh, true)); return; }
    if (stay.includes(old)) { adapt(old, fresh); return; }  /* a refused field stays with all that is around it */
    copy(old, fresh, old.tagName === "DETAILS" ? ["open"] : []);
    const partners = new Map();  /* children of `old` that stay, each with the child of `fresh` in its place */
    for (const one of stay) {
      const kept = [...old.children].find((child) => child.contains(one)), twin = counterpart(one, old, fresh);
      const partner = twin && twin !== fresh && [...fresh.children].find((child) => child.contains(twin));
      if (partner && !partners.has(kept) && ![...partners.values()].includes(partner)) partners.set(kept, partner);
    }
    for (const child of [...old.childNodes]) if (!partners.has(child)) child.remove();
    const kept = [...old.children];
    let next = 0;
    for (const child of [...fresh.childNodes]) {
      const place = kept.findIndex((one) => partners.get(one) === child);
      if (place < next) old.insertBefore(document.importNode(child, true), kept[next] || null);
      else next = place + 1;
    }
    for (const one of kept) merge(one, partners.get(one), answered);
  }

  /* Note that a form is sent, and return what to call when its answer has come. */
  function send(form) {
    const state = { answered: false };
    for (const one of [...form.elements].filter((field) => field.matches(FIELDS))) {
      sent.set(one, { value: value(one), get answered() { return state.answered; } });
    }
    return () => { state.answered = true; };
  }

  /* Forms that send themselves, with something typed that was not sent. */
  const waiting = () => [...new Set(list(document).filter((one) => one !== composing && one.form && "auto" in one.form.dataset && !("mute" in one.dataset) && (pending.has(one.form) || unsent(one))).map((one) => one.form))];

  const place = (one) => [one.id, one.name, one.id ? 0 : list(document).filter((other) => other.name === one.name).indexOf(one)];

  /* Return what keeps the typed and unsent text that has left the page by then, or all of it, for the next page of this screen. */
  function remember() {
    const typed = list(document).filter((one) => typing(one) && edited(one)).map((one) => [one, [...place(one), one.value]]);
    const key = KEPT + location.pathname;
    return (leaving = true) => {
      const texts = typed.filter(([one]) => leaving || !one.isConnected).map(([, text]) => text);
      if (texts.length) sessionStorage.setItem(key, JSON.stringify(texts));
    };
  }

  function restore() {
    const key = KEPT + location.pathname, typed = JSON.parse(sessionStorage.getItem(key) || "[]");
    sessionStorage.removeItem(key);
    const fields = typed.map(([id, name, index, text]) => {
      const one = id ? document.getElementById(id) : list(document).filter((other) => other.name === name)[index];
      if (one && typing(one)) one.value = text;
      return one;
    }).filter(Boolean);
    for (const one of fields) for (let fold = one.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (fields.length) fields[0].focus();
  }

  document.addEventListener("compositionstart", (event) => { composing = event.target; }, true);
  document.addEventListener("compositionend", () => { composing = null; }, true);
  document.addEventListener("focusout", (event) => {
    const one = event.target, fresh = held.get(one);
    if (one === composing) composing = null;
    held.delete(one);
    if (fresh && one.isConnected && !edited(one) && !pending.has(one.form)) one.replaceWith(fresh);
    else if (typing(one) && one.form && "auto" in one.form.dataset && unsent(one) && !pending.has(one.form)) one.dispatchEvent(new Event("change", { bubbles: true }));
  });

  return { typing, pending, merge, send, waiting, remember, restore, busy: () => composing !== null || list(document).some((one) => typing(one) && unsent(one)) };
})();
