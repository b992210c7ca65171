// The ladder page.

import { h, svg, link, choice } from "../dom.js";
import { get } from "../api.js";
import { t, number } from "../words.js";

export async function view(rules = "official", players = "4") {
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

// Agents with parameters have long names, so allow line breaks between parameters.
function breakable(name) {
  return name.split(/(?<=[:,=])/).flatMap((part) => [part, h("wbr")]);
}

// A rating and its interval, drawn on the scale of the whole ladder. The numbers are beside it.
function whisker(entry, low, high) {
  const x = (value) => 4 + ((value - low) / Math.max(high - low, 1)) * 192;
  return svg("svg", { viewBox: "0 0 200 16", class: `whisker ${entry.kind}`, "aria-hidden": "true" },
    svg("line", { x1: x(entry.low), x2: x(entry.high), y1: 8, y2: 8 }), svg("circle", { cx: x(entry.rating), cy: 8, r: 4.5 }));
}
