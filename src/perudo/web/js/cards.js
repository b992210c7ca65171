// A finished game as a list item.

import { h, link } from "./dom.js";
import { t, when, playerName } from "./words.js";

export function played(game) {
  const names = game.players.map((player) => playerName(player.name));
  return h("li", { class: "card" },
    h("b", {}, names.join(", ")),
    h("span", {}, t("lobby.won", { name: names[game.winner] ?? "" }), ` · ${when(game.ended)}`),
    link(t("table.review"), `#/review/${game.id}`, { class: "button small", "aria-label": `${t("table.review")}: ${names.join(", ")}` }));
}
