// The form for a new table: rules, seats, timer and number of games.

import { h, choice, tick } from "../dom.js";
import { get, post, retryingAsGuest, me } from "../api.js";
import { t, reason } from "../words.js";
import { kept, keep } from "../choices.js";
import { levels, usual, levelName } from "../levels.js";
import { parameters, seatOf } from "../table/seating.js";
import { ruleList } from "../games/perudo/rules.js";

const TIMERS = [0, 15, 30, 60, 120];
const GAMES = [1, 3, 5, 10];

export async function view() {
  const [{ presets }, { agents }, visitor, strengths] = await Promise.all([get("/api/rules"), get("/api/agents"), me(false), levels()]);
  const computer = `level:${usual(strengths)}`;
  const wish = { rules: kept("rules") ?? "s0_sim", seats: ["me", "invited", computer], timer: 0, games: 1, private: true, rated: false };
  const details = h("div", { class: "rule-words" });
  const seats = h("div", { class: "seat-choices" });
  const problem = h("p", { class: "problem", role: "alert" });
  const preset = () => presets.find((each) => each.name === wish.rules);
  const drawRules = () => details.replaceChildren(h("p", {}, t(`preset.${wish.rules}.summary`)), ruleList(preset(), presets[0]),
    wish.rules === presets[0].name ? "" : h("p", { class: "hint differing" }, t("setup.differs", { preset: t(`preset.${presets[0].name}`) })));
  const drawSeats = () => {
    wish.seats.length = Math.min(wish.seats.length, preset().max_players, 6);
    seats.replaceChildren(...wish.seats.flatMap((who, place) => [
      choice(t("setup.seat", { number: place + 1 }), who === "me" ? [["me", t("setup.me")]] : kinds(strengths, agents), who.split("?")[0], (chosen) => {
        wish.seats[place] = chosen;
        drawSeats();
        document.getElementById(`seat-${place}`).focus();
      }, { id: `seat-${place}` }),
      ...parameters(agents, who, (text) => { wish.seats[place] = `${who.split("?")[0]}?${text}`; }, place)]));
  };
  // Private games are not rated: choosing one takes the other back.
  const choose = (one, other, on) => {
    wish[one] = on;
    const box = document.getElementById(other);
    if (on && box) wish[other] = box.checked = false;
  };
  const form = h("form", { class: "setup", onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      const { table } = await retryingAsGuest(() => post("/api/tables", order(wish)));
      location.hash = `#/table/${table}/sit`;
    } catch (error) {
      problem.textContent = reason(error);
    }
  } },
  h("section", {}, h("h2", {}, t("setup.rules")),
    choice(t("setup.preset"), presets.map(({ name }) => [name, t(`preset.${name}`)]), wish.rules, (name) => {
      wish.rules = name;
      keep("rules", name);
      drawRules();
      drawSeats();
    }, { id: "preset" }), details),
  h("section", {}, h("h2", {}, t("setup.seats")),
    choice(t("setup.players"), [2, 3, 4, 5, 6].map((count) => [count, String(count)]), wish.seats.length, (count) => {
      while (wish.seats.length < count) wish.seats.push(computer);
      wish.seats.length = count;
      drawSeats();
    }, { id: "players" }), seats),
  h("section", {}, h("h2", {}, t("setup.table")),
    choice(t("setup.timer"), TIMERS.map((seconds) => [seconds, seconds ? t("setup.seconds", { seconds }) : t("setup.no_timer")]), wish.timer, (seconds) => { wish.timer = Number(seconds); }, { id: "timer" }),
    choice(t("setup.games"), GAMES.map((games) => [games, String(games)]), wish.games, (games) => { wish.games = Number(games); }, { id: "games" }),
    tick(t("setup.private"), wish.private, (on) => choose("private", "rated", on), { id: "private" }),
    visitor?.kind === "account" ? tick(t("setup.rated"), wish.rated, (on) => choose("rated", "private", on), { id: "rated" }) : h("p", { class: "hint" }, t("setup.rated_needs")),
    problem,
    h("button", { class: "button strong great", id: "make-table" }, t("setup.make"))));
  drawRules();
  drawSeats();
  return h("div", { class: "page" }, h("h1", {}, t("setup.title")), form);
}

function kinds(strengths, agents) {
  return [["invited", t("setup.invited")], ["open", t("setup.open")],
    ...strengths.map((level) => [`level:${level.name}`, t("setup.level", { level: levelName(level) })]),
    [t("setup.experts"), agents.map(({ name }) => [`agent:${name}`, name])]];
}

function order(wish) {
  return { rules: wish.rules, seats: wish.seats.map(seatOf), timer: wish.timer || null, games: wish.games, private: wish.private, rated: wish.rated };
}
