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
  addEventListener("beforeprint", () => unfold(true));
  addEventListener("hashchange", reveal);

  if (/lang=zh/.test(asked)) speak("zh-Hant-TW");
  if (/lang=en/.test(asked)) speak("en");
  darken(/theme=dark/.test(asked) || (!/theme=light/.test(asked) && matchMedia("(prefers-color-scheme: dark)").matches));
  if (/open=all/.test(asked)) unfold(true);
  reveal();
})();
