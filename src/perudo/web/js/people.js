// The ladder of people and bots, and a player's page.

import { h, svg, link, choice } from "./dom.js";
import { get } from "./api.js";
import { t, number, percent, when } from "./words.js";
import { die } from "./die.js";
import { played } from "./lobby.js";
import { curve } from "./curve.js";
import { rulesName } from "./rules.js";

export async function ladderPage(rules = "official", players = "4") {
  const [{ presets }, { entries, ladder }] = await Promise.all([get("/api/rules"), get(`/api/ladder?rules=${encodeURIComponent(rules)}&players=${encodeURIComponent(players)}`)]);
  const [low, high] = [Math.min(...entries.map((entry) => entry.low)), Math.max(...entries.map((entry) => entry.high))];
  const go = (preset, count) => { location.hash = `#/ladder/${preset}/${count}`; };
  return h("div", { class: "page" }, h("h1", {}, t("ladder.title")), h("p", { class: "hint" }, t("ladder.hint")),
    h("div", { class: "wishes" },
      choice(t("setup.preset"), presets.map(({ name }) => [name, t(`preset.${name}`)]), rules, (preset) => go(preset, players), { id: "ladder-rules" }),
      choice(t("setup.players"), [["2", "2"], ["4", "3–6"]], players, (count) => go(rules, count), { id: "ladder-players" })),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": ladder }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col", "aria-label": t("ladder.place") }, "#"), h("th", { scope: "col" }, t("ladder.name")), h("th", { scope: "col", class: "number" }, t("ladder.rating")),
        h("th", { scope: "col", class: "interval" }, t("ladder.interval")), h("th", { scope: "col", class: "number" }, t("ladder.games")))),
      h("tbody", {}, entries.map((entry, place) => h("tr", {},
        h("td", {}, String(place + 1)),
        h("td", { class: "named" }, entry.id ? link(entry.name, `#/player/${entry.id}`) : breakable(entry.name), " ", entry.kind === "account" ? "" : h("span", { class: "tag" }, t(`kind.${entry.kind}`))),
        h("td", { class: "number" }, number(entry.rating), h("small", { class: "below" }, `${number(entry.low)} – ${number(entry.high)}`)),
        h("td", { class: "interval" }, h("span", { class: "range" }, `${number(entry.low)} – ${number(entry.high)}`), whisker(entry, low, high)),
        h("td", { class: "number" }, entry.kind === "ai" && !entry.games ? "–" : number(entry.games))))))));
}

// Agents with parameters have long names, which may be broken between two of them.
function breakable(name) {
  return name.split(/(?<=[:,=])/).flatMap((part) => [part, h("wbr")]);
}

// A rating with its interval on the scale of the whole ladder; the numbers are beside it.
function whisker(entry, low, high) {
  const x = (value) => 4 + ((value - low) / Math.max(high - low, 1)) * 192;
  return svg("svg", { viewBox: "0 0 200 16", class: `whisker ${entry.kind}`, "aria-hidden": "true" },
    svg("line", { x1: x(entry.low), x2: x(entry.high), y1: 8, y2: 8 }), svg("circle", { cx: x(entry.rating), cy: 8, r: 4.5 }));
}

export async function playerPage(id) {
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

// "uk 3-6": by these rules, at tables of so many.
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
