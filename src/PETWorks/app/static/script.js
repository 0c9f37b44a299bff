/* Sends forms by fetch and replaces the parts of the page that changed. Without it every form works, too.
   It runs before the page is there, so that no click on a page that is still arriving is lost; what it sends waits for it.

   form[data-auto]        is sent when a field of it changes, after 20 ms of quiet
   form[data-whole]       is sent by the browser itself: its answer is another page
   [data-poll=address]    asks at the address, every half second, for the element with the same id
   [data-live]            is read aloud when it has changed, after 500 ms of quiet
   [data-key=x]           is clicked (or focused, if it is a field) by that key, while no field has the focus
   [data-focus]           gets the focus when it is new on the page
   [data-copy=id]         copies the text of the element with that id
   a[data-part]           leads to this page with something changed: only what changed is asked for
   [data-query]           what the address of the page says after its path, once the element is on the page

   What is being typed stays (fields.js).
*/
(() => {
  const QUIET = 20, SPOKEN = 500, POLL = 500, PRESS = 400;
  const FOCUSABLE = "a[href]:not([tabindex='-1']), button:not(:disabled), input:not(:disabled, [type=hidden]), select, textarea, summary";
  const root = document.documentElement, all = (what, within = document) => [...within.querySelectorAll(what)];
  const get = (id) => document.getElementById(id);
  const small = new URLSearchParams(location.search).get("small");
  const { typing, pending } = Fields;
  const timers = new Map(), sent = new Map();
  const waiting = new Map();  /* what is sent when its turn comes */
  const arrived = new Promise((whole) => document.addEventListener("DOMContentLoaded", whole));
  let spoken = "", speaking, turn = arrived, pressed = Promise.resolve(), going = 0;  /* going: forms whose answers have not come */
  root.classList.add("scripted");

  const later = (key, wait, what) => { clearTimeout(timers.get(key)); timers.set(key, setTimeout(what, wait)); };

  function speak() {
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      const text = all("[data-live]").map((one) => one.textContent.trim()).join(" ");
      if (text !== spoken && get("live")) get("live").textContent = spoken = text;
    }, SPOKEN);
  }

  /* Replace elements by those with the same ids; the focus, the text cursor, what is unfolded and what is typed stay.
     `answered` is the address of the form that the answer is for; a poll has none. */
  function replace(html, answered) {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const wrong = (old) => !answered && old.querySelector("[aria-invalid=true]");  /* the reason stays in sight */
    const focus = document.activeElement, id = focus && focus.id, name = focus && focus.name, value = focus && focus.value;
    const within = focus && focus.closest("[id]"), around = [];
    for (let one = focus; one && one.parentElement; one = one.parentElement) if (one.id) around.push(one.id);
    const cursor = focus && "selectionStart" in focus && focus.type !== "number" ? [focus.selectionStart, focus.selectionEnd] : null;
    const unfolded = all("details[open][id]").map((one) => one.id);
    const x = scrollX, y = scrollY;
    for (const one of [...fresh.body.children]) {
      const old = one.id && get(one.id);
      if (old && !wrong(old)) Fields.merge(old, one, answered || "");
    }
    unfolded.forEach((one) => { if (get(one)) get(one).open = true; });
    if (focus && !focus.isConnected) {
      const again = (id && get(id)) || (name && within && get(within.id) && all("[name]", get(within.id)).find((one) => one.name === name && (one.type !== "radio" || one.value === value)));
      if (again) {
        again.focus({ preventScroll: true });
        if (cursor && cursor[0] !== null && again.setSelectionRange) again.setSelectionRange(...cursor);
      } else near(around).focus({ preventScroll: true });
    }
    scrollTo(x, y);
    const asked = fresh.querySelector("[data-focus]"), field = asked && get(asked.id);
    if (field && !typing(document.activeElement)) { field.focus({ preventScroll: true }); field.scrollIntoView({ block: "center" }); }
    ready();
  }

  /* The first thing to go on with in the nearest part, by ids, of what was left: the reader stays where they were. */
  function near(ids) {
    for (const part of ids.filter((id) => id !== "main").map(get)) {
      const one = part && all(FOCUSABLE, part).find((found) => found.checkVisibility());
      if (one) return one;
    }
    return get("main");
  }

  async function ask(address, options, key) {
    const number = (sent.get(key) || 0) + 1, query = location.search;
    sent.set(key, number);
    let answer, text;
    try {
      answer = await fetch(address, { ...options, headers: { "X-Fragments": "1", ...(small ? { "X-Small": small } : {}), ...(query ? { "X-Query": query } : {}), ...options.headers }, redirect: "follow" });
      text = await answer.text();
    } catch {
      get("stopped").hidden = false;
      return;
    }
    get("stopped").hidden = true;
    await pressed;
    if (answer.status === 403) { get("stopped").hidden = false; return; }
    if (options.answer && answer.status !== 409) options.answer();
    if (sent.get(key) !== number) return;  /* a later answer has overtaken this one */
    if (answer.status === 409) { go(location.pathname + "?changed"); return; }
    if (answer.status === 204 || (key.startsWith("poll ") && query !== location.search)) return;
    if (answer.redirected || answer.headers.get("X-Go")) {
      if (!key.startsWith("poll ") || !Fields.busy()) go(answer.headers.get("X-Go") || answer.url);  /* else the next poll leads there */
      return;
    }
    if (/<!doctype/i.test(text.slice(0, 60))) { show(text, address); return; }
    replace(text, key.startsWith("poll ") ? null : address);
    settle();
    speak();
    if (get("sheet") && key !== "text") askText();
    document.dispatchEvent(new CustomEvent("replaced", { detail: key }));
  }

  /* The address says what the page shows, so that a reload shows the same. */
  function settle() {
    const part = document.querySelector("[data-query]"), query = new URLSearchParams(part ? part.dataset.query : location.search);
    if (small) query.set("small", small);
    if (part) history.replaceState(null, "", location.pathname + (`${query}` && `?${query}`));
  }

  /* Another page, or this one anew: what is typed and not sent stays, if it is the same screen. */
  function go(address) {
    Fields.remember()();
    location.assign(address);
  }

  /* A whole page in place of fragments, such as a refusal: its main part takes the place of ours. */
  function show(text, answered) {
    const fresh = new DOMParser().parseFromString(text, "text/html"), focus = document.activeElement, keep = Fields.remember();
    for (const id of ["main", "dock", "steps"]) if (fresh.getElementById(id) && get(id)) Fields.merge(get(id), fresh.getElementById(id), answered);
    keep(false);
    if (!typing(focus) || !focus.isConnected) {
      scrollTo(0, 0);
      if (get("main")) get("main").focus();
    }
    ready();
    speak();
  }

  /* Forms are sent one after another, each with the state that the answer before it brought.
     Of changes to one form that wait for their turn, the last counts. */
  function send(form, button) {
    const fields = new URLSearchParams(new FormData(form));
    if (button && button.name) fields.append(button.name, button.value);
    const address = (button && button.getAttribute("formaction")) || form.getAttribute("action") || location.pathname;
    const key = form.dataset.queue || address, ahead = !button && waiting.get(key);
    const answer = Fields.send(form);
    if (ahead) { ahead.fields = fields; ahead.answers.push(answer); return; }
    const own = { fields, answers: [answer] };
    waiting.set(key, own);
    going += 1;
    turn = turn.then(async () => {
      if (waiting.get(key) === own) waiting.delete(key);
      const now = get("dock") && get("dock").querySelector("[name=revision]");
      if (now && own.fields.has("revision")) own.fields.set("revision", now.value);
      await ask(address, { method: "POST", body: own.fields, answer: () => own.answers.forEach((one) => one()) }, key);
      going -= 1;
    });
  }

  /* Say at once that long work begins: the answer may take a while. */
  function begin(form, button) {
    form.dataset.going = "";
    if (!button) return;
    button.setAttribute("aria-disabled", "true");
    button.textContent = form.dataset.busy;
    button.insertAdjacentHTML("afterend", '<progress aria-hidden="true"></progress>');
    get("live").textContent = form.dataset.busy;
  }

  /* Send now what was typed and would be sent in a moment. */
  function flush() {
    for (const form of Fields.waiting()) {
      clearTimeout(timers.get(form));
      pending.delete(form);
      send(form);
    }
  }

  /* Send what was typed, then leave the page; stay if it was refused. */
  function leave(how) {
    const refused = all("[aria-invalid=true]");
    flush();
    turn = turn.then(() => {
      const wrong = all("[aria-invalid=true]").find((one) => !refused.includes(one));
      if (wrong) wrong.focus();
      else if (get("stopped").hidden) how();
    });
  }
  const typed = () => going > 0 || Fields.waiting().length > 0;

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method === "dialog") return;
    if (form.method === "get" || "whole" in form.dataset || /\/(language|theme)$/.test(form.getAttribute("action"))) {
      if (typed() && !form.left) {
        event.preventDefault();
        leave(() => { form.left = true; form.requestSubmit(event.submitter); });
      } else {
        Fields.send(form)();
        Fields.remember()();
      }
      return;
    }
    event.preventDefault();
    if ("going" in form.dataset) return;  /* a second click does nothing */
    if (form.dataset.busy) begin(form, event.submitter);
    clearTimeout(timers.get(form));  /* what changed is sent with it */
    pending.delete(form);
    send(form, event.submitter);
  });

  /* A link waits until what was typed has been sent. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || link.target || !typed()) return;
    if ("part" in link.dataset || link.id === "as-text" || link.matches("[aria-disabled=true], [href^='#']")) return;
    event.preventDefault();
    leave(() => location.assign(link.href));
  });

  /* While something is pressed, answers wait: a click on what is replaced between press and release would be lost.
     A slider is no click: the page follows it. */
  const press = (down, up, counts) => document.addEventListener(down, (event) => {
    if (!counts(event)) return;
    pressed = new Promise((released) => {
      document.addEventListener(up, () => setTimeout(released, QUIET), { capture: true, once: true });
      setTimeout(released, PRESS);
    });
  }, true);
  press("pointerdown", "pointerup", (event) => !event.target.matches("[type=range]"));
  press("keydown", "keyup", (event) => event.key === " " && !event.repeat);

  const changed = (event) => {
    const form = event.target.form;
    if (!form || !("auto" in form.dataset) || "mute" in event.target.dataset) return;
    pending.add(form);
    later(form, QUIET, () => { pending.delete(form); if (form.isConnected) send(form); });
  };
  document.addEventListener("change", changed);
  document.addEventListener("input", (event) => { if (event.target.type === "range") changed(event); });

  document.addEventListener("click", (event) => {
    const one = event.target.closest("[data-copy], [data-veil], [data-again], [data-ask-keys], [data-part], #as-text, [aria-disabled=true]");
    if (!one) return;
    if (one.matches("[aria-disabled=true]")) event.preventDefault();
    else if (one.dataset.copy) navigator.clipboard.writeText(get(one.dataset.copy).textContent).then(() => { get("live").textContent = one.dataset.copied || ""; one.textContent = one.dataset.copied || one.textContent; });
    else if ("veil" in one.dataset) veil();
    else if ("again" in one.dataset) location.reload();
    else if ("askKeys" in one.dataset) keys();
    else if (event.ctrlKey || event.metaKey || event.shiftKey) return;  /* another window */
    else if (one.id === "as-text") { event.preventDefault(); sheet(one); }
    else { event.preventDefault(); turn = turn.then(() => ask(one.getAttribute("href"), { method: "GET" }, "part")); }
  });

  function keys() {
    const box = get("keys").querySelector("[data-keys]");
    box.checked = localStorage.getItem("petworks-keys") !== "off";
    box.onchange = () => localStorage.setItem("petworks-keys", box.checked ? "on" : "off");
    get("keys").showModal();
  }

  function veil() {
    const on = root.classList.toggle("veiled");
    document.cookie = `petworks_veil=${on ? 1 : 0}; path=/; SameSite=Strict`;
    all("[data-veil]").forEach((one) => one.setAttribute("aria-pressed", on));
  }

  /* The text sheet opens above the dock; a second click closes it. */
  async function sheet(link) {
    const old = get("sheet");
    if (old) { old.remove(); link.setAttribute("aria-expanded", "false"); link.focus(); return; }
    if (get("text-sheet")) { get("text-sheet").scrollIntoView(); return; }  /* it is the page itself */
    const part = Object.assign(document.createElement("div"), { id: "sheet", tabIndex: 0 });
    part.setAttribute("role", "region");
    part.setAttribute("aria-label", link.textContent.trim());
    get("dock").before(part);
    link.setAttribute("aria-expanded", "true");
    part.append(Object.assign(document.createElement("div"), { className: "in", id: "text-sheet" }));
    await askText();
    part.focus();
  }

  const askText = () => ask(get("as-text").getAttribute("href"), { method: "GET" }, "text");

  function poll(one) {
    later(`poll ${one.id}`, POLL, async () => {
      if (!one.isConnected) return;
      if (document.hidden) { poll(one); return; }
      await ask(one.dataset.poll, { method: "GET" }, `poll ${one.id}`);
      if (one.isConnected && get("stopped").hidden) poll(one);
    });
  }

  function ready() {
    all("[data-poll]").forEach((one) => { if (!one.polled) { one.polled = true; poll(one); } });
    all("[data-veil], [data-ask-keys]").forEach((one) => { one.hidden = false; });
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.altKey && !event.ctrlKey && /^Digit[1-9]$/.test(event.code)) {
      event.preventDefault();
      const step = all(".stepper a")[event.code.slice(-1) - 1];
      if (step) step.click();
    } else if ((event.ctrlKey || event.metaKey) && key === "z" && !typing(event.target)) {
      const button = get(event.shiftKey ? "redo" : "undo");
      if (button && !button.disabled) { event.preventDefault(); button.click(); }
    } else if (key === "Escape" && get("sheet")) sheet(get("as-text"));
    else if (!event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target) && localStorage.getItem("petworks-keys") !== "off") {
      const one = all("[data-key]").find((found) => found.dataset.key === event.key && !found.disabled);
      if (one) { event.preventDefault(); if (typing(one)) one.focus(); else one.click(); }
      else if (key === "t" && get("as-text")) { event.preventDefault(); sheet(get("as-text")); }
      else if (key === "h") veil();
      else if (key === "?" && get("keys")) keys();
    }
  });

  arrived.then(() => { Fields.restore(); ready(); speak(); });
})();
