// The lab page: series between computers, and the results of reproducing papers.

import { h, choice, show, link } from "../dom.js";
import { get, post, retryingAsGuest, me } from "../api.js";
import { t, number, percent, reason } from "../words.js";
import { line } from "../line.js";
import { TableGame } from "../table/game.js";
import { say } from "../notices.js";
import { parameters, seatOf } from "../table/seating.js";

const SERIES = [1, 10, 100, 1000];
const LINES = 40;

export async function view(id) {
  return id ? runPage(id) : startPage();
}

async function startPage() {
  const [{ presets }, { agents }] = await Promise.all([get("/api/rules"), get("/api/agents")]);
  const names = agents.map((agent) => agent.name);
  const wish = { rules: "common", agents: ["observer", "probabilistic", "random"].filter((name) => names.includes(name)), games: 10 };
  const seats = h("div", { class: "seat-choices" });
  const ideas = h("ul", { class: "hint ideas" });
  const problem = h("p", { class: "problem", role: "alert" });
  const results = h("div", { class: "results" });
  const draw = () => {
    seats.replaceChildren(...wish.agents.flatMap((who, place) => [
      choice(t("setup.seat", { number: place + 1 }), names.map((each) => [each, each]), who.split("?")[0], (chosen) => {
        wish.agents[place] = chosen;
        draw();
        document.getElementById(`agent-${place}`).focus();
      }, { id: `agent-${place}` }),
      ...parameters(agents, `agent:${who}`, (text) => { wish.agents[place] = `${who.split("?")[0]}?${text}`; }, place)]));
    const chosen = [...new Set(wish.agents.map((who) => who.split("?")[0]))].map((name) => agents.find((agent) => agent.name === name));
    ideas.replaceChildren(...chosen.map((agent) => h("li", {}, h("b", {}, agent.name), ` ${agent.idea}`)));
  };
  draw();
  return h("div", { class: "page" }, h("h1", {}, t("lab.title")), h("p", {}, t("lab.lead")),
    h("form", { class: "setup two", onsubmit: async (event) => {
      event.preventDefault();
      problem.textContent = "";
      try {
        const order = { rules: wish.rules, seats: wish.agents.map((who) => seatOf(`agent:${who}`)), games: wish.games, private: true, pace: 0 };
        const { table } = await retryingAsGuest(() => post("/api/tables", order));
        location.hash = `#/lab/${table}`;
      } catch (error) {
        problem.textContent = reason(error);
      }
    } },
    h("section", {}, h("h2", {}, t("lab.who")),
      choice(t("setup.players"), [2, 3, 4, 5, 6].map((count) => [count, String(count)]), wish.agents.length, (count) => {
        while (wish.agents.length < count) wish.agents.push("observer");
        wish.agents.length = count;
        draw();
      }, { id: "lab-players" }), seats, ideas),
    h("section", {}, h("h2", {}, t("lab.what")),
      choice(t("setup.preset"), presets.map(({ name }) => [name, t(`preset.${name}`)]), wish.rules, (name) => { wish.rules = name; }, { id: "lab-rules" }),
      choice(t("setup.games"), SERIES.map((games) => [games, number(games)]), wish.games, (games) => { wish.games = Number(games); }, { id: "lab-games" }),
      problem, h("button", { class: "button strong", id: "lab-start" }, t("lab.start")))),
    h("section", {}, h("h2", {}, t("lab.results")), h("p", { class: "hint" }, t("lab.results_hint")),
      h("button", { type: "button", class: "button", id: "show-results", onclick: async (event) => {
        event.target.remove();
        results.replaceChildren(...(await import("../results.js")).rendered(await (await fetch("/api/lab/results")).text()));
      } }, t("lab.show_results")), results));
}

async function runPage(id) {
  const game = new TableGame(id, await me());
  const bars = h("ul", { class: "bars" });
  const log = h("ol", { class: "story", id: "lab-log", tabindex: "0", "aria-label": t("side.story") });
  const state = h("p", { class: "status" });
  const records = h("p", {});
  const element = h("div", { class: "page" }, h("h1", {}, t("lab.running")), state, bars, records, h("section", { class: "log" }, h("h2", {}, t("side.story")), log),
    h("p", { class: "row" }, link(t("lab.again"), "#/lab", { class: "button" }), link(t("lobby.watch"), `#/table/${id}`, { class: "button quiet" })));
  game.addEventListener("change", ({ detail }) => {
    if (!element.isConnected && game.drawn) return;
    game.drawn = element.isConnected;
    const { info } = game;
    const finished = info.wins.reduce((sum, wins) => sum + wins, 0);
    const progress = t("lab.progress", { done: number(finished), games: number(info.games) });
    if (finished === info.games && state.textContent !== progress) say(progress);
    state.textContent = progress;
    show(bars, info.seats.map((seat, place) => h("li", {}, h("span", {}, seat.player?.agent ?? ""),
      h("meter", { min: 0, max: Math.max(finished, 1), value: info.wins[place], "aria-label": seat.player?.name ?? "" }),
      h("b", {}, `${number(info.wins[place])}${finished ? ` · ${percent(info.wins[place] / finished)}` : ""}`))));
    show(records, finished ? h("a", { class: "button", href: `/api/tables/${id}/records`, download: `${id}.jsonl`, id: "lab-records" }, t("lab.download")) : null);
    for (const event of detail.fresh) {
      const told = game.transcript.findLast((entry) => entry.n === event.n);
      if (told) log.append(h("li", { "data-kind": told.kind }, told.text));
    }
    while (log.childElementCount > LINES) log.firstElementChild.remove();
    log.scrollTop = log.scrollHeight;
  });
  const leave = () => {
    if (element.isConnected) return;
    removeEventListener("hashchange", later);
    line.leave(id, follower);
  };
  const later = () => setTimeout(leave, 500);
  addEventListener("hashchange", later);
  const follower = { last: () => (game.n ? game.n : null), odds: () => false, take: (message) => game.take(message) };
  line.follow(id, follower);
  return element;
}
