// A player's profile: statistics, ratings and games.

import { h } from "../dom.js";
import { get } from "../api.js";
import { t, number, percent, when } from "../words.js";
import { die } from "../games/perudo/die.js";
import { played } from "../cards.js";
import { curve } from "../curve.js";
import { rulesName } from "../games/perudo/rules.js";

export async function view(id) {
  const [{ person, statistics, ratings }, { games }] = await Promise.all([get(`/api/people/${id}`), get(`/api/games?person=${encodeURIComponent(id)}&limit=24`)]);
  return h("div", { class: "page" }, h("h1", {}, person.name, " ", h("span", { class: "tag" }, t(`kind.${person.kind}`))),
    Object.entries(statistics).filter(([, sums]) => sums.games).map(([players, sums]) => h("section", {}, h("h2", {}, t("player.tables", { players })), facts(sums))),
    Object.values(statistics).some((sums) => sums.games) ? null : h("p", { class: "nothing" }, t("player.no_games")),
    Object.entries(ratings).map(([ladder, points]) => {
      const label = t("player.rating", { ladder: ladderName(ladder) });
      return h("section", {}, h("h2", {}, label), curve(points.map((point) => [point.at, point.rating, point.low, point.high]), label, when));
    }),
    h("section", {}, h("h2", {}, t("player.games")), h("ul", { class: "cards" }, games.length ? games.map(played) : h("li", { class: "nothing" }, t("player.none_public")))));
}

// The readable name of a ladder such as "uk 3-6": its preset and number of players.
function ladderName(ladder) {
  const [rules, players] = ladder.split(" ");
  return players ? `${rulesName(rules)}, ${t("player.tables", { players }).toLowerCase()}` : rulesName(rules);
}

function facts(sums) {
  const share = (value) => (value === null ? "–" : percent(value));
  const bids = sums.bids_by_face.reduce((sum, count) => sum + count, 0);
  const rows = [
    ["player.won", t("player.of", { part: number(sums.wins), whole: number(sums.games) })],
    ["player.accuracy", share(sums.call_accuracy)],
    ["player.bluffs", share(sums.bluff_rate)],
    ["player.left", sums.dice_left_when_won === null ? "–" : number(sums.dice_left_when_won, 1)],
    ["player.lost", number(sums.rounds_lost)],
  ];
  return [h("dl", { class: "numbers" }, rows.map(([key, value]) => h("div", {}, h("dt", {}, t(key)), h("dd", {}, value)))),
    bids ? h("figure", { class: "faces" }, h("figcaption", {}, t("player.faces")), h("ul", {}, sums.bids_by_face.map((count, face) => h("li", {}, die(face + 1), h("meter", { min: 0, max: bids, value: count, "aria-label": t("player.face", { face: face + 1 }) }), percent(count / bids))))) : null];
}
