(() => {
  const root = document.documentElement;
  const all = (what) => document.querySelectorAll(what);
  const asked = location.search + location.hash;

  const speak = (language) => {
    root.dataset.lang = root.lang = language;
    all("[data-language]").forEach((one) => one.setAttribute("aria-pressed", one.dataset.language === language));
  };
  const darken = (dark) => {
    root.dataset.theme = dark ? "dark" : "light";
    all("[data-dark]").forEach((one) => one.setAttribute("aria-pressed", dark));
  };
  const unfold = (open) => all("details").forEach((one) => { one.open = open; });
  const reveal = () => {
    let place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (place && place.tagName === "DETAILS") place.open = true;
    for (; place; place = place.parentElement) if (place.tagName === "DETAILS") place.open = true;
  };

  all("[data-language]").forEach((one) => one.addEventListener("click", () => speak(one.dataset.language)));
  all("[data-dark]").forEach((one) => one.addEventListener("click", () => darken(root.dataset.theme !== "dark")));
  all("[data-print]").forEach((one) => one.addEventListener("click", () => window.print()));
  all("[data-all]").forEach((one) => one.addEventListener("click", () => unfold(one.dataset.all === "open")));
  all("time[datetime]").forEach((one) => {  // in the reader's zone
    const at = new Date(one.dateTime), offset = -at.getTimezoneOffset(), two = (number) => String(number).padStart(2, "0");
    const year = one.closest("[lang^=zh]") ? `民國 ${at.getFullYear() - 1911}` : at.getFullYear();
    const hours = `${offset < 0 ? "−" : "+"}${Math.floor(Math.abs(offset) / 60)}${offset % 60 ? `:${two(Math.abs(offset) % 60)}` : ""}`;
    const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
    one.textContent = `${year}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time} (UTC${hours})`;
  });
  addEventListener("beforeprint", () => unfold(true));
  addEventListener("hashchange", reveal);

  if (/lang=zh/.test(asked)) speak("zh-Hant-TW");
  if (/lang=en/.test(asked)) speak("en");
  darken(/theme=dark/.test(asked) || (!/theme=light/.test(asked) && matchMedia("(prefers-color-scheme: dark)").matches));
  if (/open=all/.test(asked)) unfold(true);
  reveal();
})();
