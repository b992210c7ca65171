// The page's header, settings and routing.

import { h, link, button, choice, tick } from "./dom.js";
import { loadWords, chooseLanguage, language, t, reason, LANGUAGES } from "./words.js";
import { kept, keep, applyTheme } from "./choices.js";
import * as front from "./views/front.js";
import { notice } from "./notices.js";

let turn = 0;

// Each view is a file in `views`, named by the first word of its address. It exports `view`, which gets the other
// words and returns an element. All but the front page load on demand.
async function viewAt(name) {
  if (!/^[a-z]+$/.test(name)) return front;
  const file = new URL(`./views/${name}.js`, import.meta.url);
  try {
    return await import(file);
  } catch (error) {
    if ((await fetch(file, { method: "HEAD" })).status === 404) return front;
    throw error;
  }
}

async function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const mine = ++turn;
  const main = document.getElementById("main");
  let shown;
  try {
    shown = await (await viewAt(name)).view(...rest);
  } catch (error) {
    shown = h("div", { class: "page" }, h("h1", {}, t("wrong.title")), h("p", {}, reason(error)), link(t("nav.home"), "#/"));
    if (!("code" in error)) console.error(error);
  }
  if (mine !== turn) return; // the visitor has gone to another page meanwhile
  main.replaceChildren(shown);
  main.dataset.view = name || "front";
  document.title = `${shown.querySelector("h1")?.textContent ?? ""} · Perudo`.replace(/^ · /, "");
  for (const each of document.querySelectorAll("#bar nav a")) {
    if (each.getAttribute("href") === `#/${name}`) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  if (mine > 1) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
}

function drawBar() {
  document.getElementById("bar").replaceChildren(
    h("a", { class: "unseen-until-focus", href: "#main", onclick: (event) => {
      event.preventDefault();
      document.getElementById("main").focus();
    } }, t("nav.skip")),
    link([h("img", { src: "icon.svg", alt: "", width: "28", height: "28" }), h("b", {}, "Perudo")], "#/", { class: "brand", "aria-label": `Perudo, ${t("nav.home")}` }),
    h("nav", { "aria-label": t("nav.label") }, link(t("nav.tables"), "#/tables"), link(t("nav.ladder"), "#/ladder"), link(t("nav.review"), "#/review"), link(t("nav.lab"), "#/lab")),
    button("⚙", settings, { class: "gear", "aria-label": t("settings.title") }));
}

function settings() {
  const dialog = h("dialog", { class: "settings", "aria-labelledby": "settings-title", onclose: () => dialog.remove() },
    h("h2", { id: "settings-title" }, t("settings.title")),
    choice(t("settings.language"), Object.entries(LANGUAGES), language(), async (tag) => {
      dialog.close();
      await chooseLanguage(tag);
      drawBar();
      await route();
    }, { id: "language" }),
    choice(t("settings.theme"), ["auto", "light", "dark"].map((theme) => [theme, t(`theme.${theme}`)]), kept("theme") ?? "auto", (theme) => {
      keep("theme", theme);
      applyTheme();
    }, { id: "theme" }),
    tick(t("settings.sound"), kept("sound") ?? false, (on) => keep("sound", on)),
    tick(t("settings.keys"), kept("keys") ?? true, (on) => keep("keys", on)),
    h("p", { class: "hint" }, t("keys.help")),
    h("div", { class: "row" }, link(t("settings.account"), "#/account", { class: "button quiet small", onclick: () => dialog.close() }),
      button(t("settings.close"), () => dialog.close(), { class: "button strong" })));
  document.body.append(dialog);
  dialog.showModal();
}

applyTheme();
await loadWords();
drawBar();
addEventListener("hashchange", route);
addEventListener("unhandledrejection", (event) => notice(event.reason instanceof Error ? reason(event.reason) : String(event.reason)));
await route();
