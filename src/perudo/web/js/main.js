// The page: its header, and which view an address shows.

import { h, link, button, choice, tick } from "./dom.js";
import { loadWords, chooseLanguage, language, t, reason, LANGUAGES } from "./words.js";
import { kept, keep, applyTheme } from "./choices.js";
import { frontPage } from "./front.js";
import { notice } from "./notices.js";

const VIEWS = {
  "": frontPage,
  table: async (id, more, key) => (await import("./table.js")).tablePage(id, { sit: more === "sit", key }),
  new: async () => (await import("./setup.js")).setupPage(),
  tables: async () => (await import("./lobby.js")).lobbyPage(),
  ladder: async (rules, players) => (await import("./people.js")).ladderPage(rules, players),
  player: async (id) => (await import("./people.js")).playerPage(id),
  review: async (...which) => (await import("./review.js")).reviewPage(...which),
  lab: async (id) => (await import("./lab.js")).labPage(id),
  learn: async () => (await import("./learn.js")).learnPage(),
  account: async () => (await import("./account.js")).accountPage(),
};
let turn = 0;

async function route() {
  const [view, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const mine = ++turn;
  const main = document.getElementById("main");
  let shown;
  try {
    shown = await (VIEWS[view] ?? VIEWS[""])(...rest);
  } catch (error) {
    shown = h("div", { class: "page" }, h("h1", {}, t("wrong.title")), h("p", {}, reason(error)), link(t("nav.home"), "#/"));
    if (!("code" in error)) console.error(error);
  }
  if (mine !== turn) return; // somebody has gone on meanwhile
  main.replaceChildren(shown);
  main.dataset.view = view || "front";
  document.title = `${shown.querySelector("h1")?.textContent ?? ""} · Perudo`.replace(/^ · /, "");
  for (const each of document.querySelectorAll("#bar nav a")) {
    if (each.getAttribute("href") === `#/${view}`) each.setAttribute("aria-current", "page");
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
