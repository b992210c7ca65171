// The lobby: open tables, games to watch, and finished games.

import { h, link, button } from "../dom.js";
import { get } from "../api.js";
import { t, playerName, emptyName } from "../words.js";
import { played } from "../cards.js";
import { rulesName } from "../games/perudo/rules.js";

const FRESH_MS = 5000;

export async function view() {
  const open = h("ul", { class: "cards" });
  const live = h("ul", { class: "cards" });
  const past = h("ul", { class: "cards" });
  const element = h("div", { class: "page" },
    h("h1", {}, t("lobby.title")),
    h("p", {}, link(t("lobby.make"), "#/new", { class: "button strong" })),
    h("section", {}, h("h2", {}, t("lobby.open")), open),
    h("section", {}, h("h2", {}, t("lobby.live")), live),
    h("section", {}, h("h2", {}, t("lobby.past")), past));
  const draw = async () => {
    const [{ tables }, { games }] = await Promise.all([get("/api/tables"), get("/api/games?limit=12")]);
    const waiting = tables.filter((table) => table.status === "waiting" && table.seats.some((seat) => !seat.player));
    const [free, kept] = [true, false].map((wanted) => waiting.filter((table) => anybody(table) === wanted));
    fill(open, [...free.map((table) => card(table, t("lobby.sit"), "/sit")), ...kept.map((table) => card(table, t("lobby.watch"), ""))], t("lobby.none_open"));
    fill(live, tables.filter((table) => table.status === "playing").map((table) => card(table, t("lobby.watch"), "")), t("lobby.none_live"));
    fill(past, games.map(played), t("lobby.none_past"));
  };
  await draw();
  const clock = setInterval(() => {
    if (!element.isConnected) clearInterval(clock);
    else if (document.visibilityState === "visible") draw();
  }, FRESH_MS);
  return element;
}

// True if the table has a free seat that needs no invitation.
function anybody(table) {
  return table.seats.some((seat) => !seat.player && seat.kind === "open");
}

function fill(list, cards, nothing) {
  list.replaceChildren(...(cards.length ? cards : [h("li", { class: "nothing" }, nothing)]));
}

function card(table, verb, more) {
  const names = table.seats.map((seat) => seat.player ? playerName(seat.player.name) : emptyName(seat));
  return h("li", { class: "card" },
    h("b", {}, names.join(", ")),
    h("span", {}, rulesName(table.rules), table.timer ? ` · ${t("setup.seconds", { seconds: table.timer })}` : "", table.rated ? ` · ${t("lobby.rated")}` : ""),
    link(verb, `#/table/${table.id}${more}`, { class: "button small", "aria-label": `${verb}: ${names.join(", ")}` }));
}
