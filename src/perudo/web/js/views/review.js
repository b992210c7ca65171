// The review of a finished game: what each decision cost, and what other agents would have done.

import { h, button, choice, tick, show } from "../dom.js";
import { get, post, me, retryingAsGuest, Refusal } from "../api.js";
import { t, has, percent, number, reason, playerName } from "../words.js";
import { spoken, parts } from "../games/perudo/wording.js";
import { die } from "../games/perudo/die.js";
import { bidShort } from "../games/perudo/felt.js";
import { played } from "../cards.js";
import { sentence } from "../games/perudo/speech.js";
import { say } from "../notices.js";
import { retryPanel } from "../games/perudo/retry.js";
import { copyText } from "../table/invite.js";
import { checked, diceLine } from "../games/perudo/checked.js";
import { packed, unpacked } from "../packing.js";
import { rulesName } from "../games/perudo/rules.js";

const LOOK_MS = 700;
const MOST_ADVISERS = 3;
const MOST_SEATS = 6; // at a table; records may have more
const PACKED = "text";

// Review a game by its id, or a transcript packed into the address; otherwise let the visitor choose.
export async function view(game, decision) {
  if (game !== PACKED) return game ? new Review(game, Number(decision) || null).open() : choosePage();
  const text = await unpacked(decision ?? "");
  if (text === null) throw new Refusal("cut_off", t("review.no_link"));
  return new Review(null, null, text).open();
}

async function choosePage() {
  const { games } = await get("/api/games?limit=12");
  const area = h("textarea", { id: "pasted", rows: "8", spellcheck: "false", "aria-describedby": "pasted-hint" });
  const problem = h("p", { class: "problem", role: "alert" });
  const page = h("div", { class: "page" }, h("h1", {}, t("review.title")),
    h("section", {}, h("h2", {}, t("lobby.past")), h("ul", { class: "cards" }, games.length ? games.map(played) : h("li", { class: "nothing" }, t("lobby.none_past")))),
    h("section", {}, h("h2", {}, t("review.paste")), h("p", { id: "pasted-hint", class: "hint" }, t("review.paste_hint")),
      h("label", { for: "pasted", class: "unseen" }, t("review.paste")), area, problem,
      button(t("review.begin"), async () => {
        problem.textContent = "";
        try {
          page.replaceWith(await new Review(null, null, area.value).open());
        } catch (error) {
          problem.textContent = reason(error);
        }
      }, { class: "button strong", id: "review-pasted" })));
  return page;
}

class Review {
  constructor(game, start, text = null) {
    this.wish = { game, record: text, seat: null, agents: ["champion"] };
    this.start = start;
    this.allDice = true;
    this.place = 0;
  }

  async open() {
    const visitor = await me();
    const { agents } = await get("/api/agents");
    this.known = agents.map((agent) => agent.name);
    if (this.wish.game) {
      const story = await get(`/api/games/${this.wish.game}`);
      const own = story.players.findIndex((player) => player.id === visitor.id);
      this.wish.seat = own < 0 ? null : own;
      this.lines = story.record;
    }
    this.top = h("section", { class: "costliest" });
    this.board = h("section", { class: "board" });
    this.verdict = h("section", { class: "decision" });
    this.retry = h("section", { class: "retry" });
    this.slider = h("input", { type: "range", min: "0", value: "0", id: "step", oninput: () => this.#go(Number(this.slider.value)) });
    await this.#begin();
    const pasted = this.wish.record?.trim();
    if (this.data.notation) {
      this.link = `#/review/${PACKED}/${await packed(this.data.notation)}`;
      history.replaceState(null, "", this.link); // so that reloading the page finds the game
    }
    this.#drawTop();
    if (pasted?.startsWith("{")) this.lines = pasted.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
    this.element = h("div", { class: "page review" }, h("h1", {}, t("review.title")),
      h("p", { class: "hint" }, this.data.players.join(", "), ` · ${rulesName(this.data.rules)}`),
      diceLine(this.lines ? checked(this.lines.slice(1), this.lines[0].options) : null, this.data.players),
      this.#wishes(), this.top,
      h("div", { class: "review-view" },
        h("div", {}, this.board,
          h("div", { class: "row steps" }, button("‹", () => this.#decision(-1), { "aria-label": t("review.back"), id: "step-back" }),
            h("label", { class: "unseen", for: "step" }, t("review.step")), this.slider,
            button("›", () => this.#decision(1), { "aria-label": t("review.on"), id: "step-on" })), this.retry),
        this.verdict));
    this.element.addEventListener("keydown", (event) => this.#key(event));
    const first = this.data.steps.findIndex((step) => step.n === this.start);
    this.#go(first >= 0 ? first : this.#decisions()[0] ?? 0);
    this.#follow();
    return this.element;
  }

  async #begin() {
    const { game, record, seat, agents } = this.wish;
    this.data = await retryingAsGuest(() => post("/api/reviews", game ? { game, seat, agents } : { record, seat, agents }));
    this.data.players = this.data.players.map(playerName);
    this.found = new Map(this.data.decisions.map((decision) => [decision.n, decision]));
    this.slider.max = String(this.data.steps.length - 1);
    this.#drawTop();
  }

  async #again() {
    await this.#begin();
    this.#go(this.place);
    this.#follow();
  }

  // Poll for decisions while the server evaluates them one by one.
  async #follow() {
    const id = this.data.id;
    while (!this.data.done && this.data.id === id) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (!this.element.isConnected && this.shownOnce) return;
      this.shownOnce = this.element.isConnected;
      const fresh = await this.#there(() => get(`/api/reviews/${this.data.id}`));
      if (this.data.id !== id) return;
      Object.assign(this.data, fresh);
      this.found = new Map(fresh.decisions.map((decision) => [decision.n, decision]));
      this.#drawTop();
      this.#drawVerdict();
    }
    // Announce only the outcome, because announcing each step would repeat too much.
    if (this.data.id === id && this.element.isConnected) say([...this.top.querySelectorAll(".card, .nothing, .problem")].map((each) => each.innerText).join(" "));
  }

  // The server keeps reviews for a limited time. If this one is gone, start it again.
  async #there(work) {
    try {
      return await work();
    } catch (error) {
      if (error.code !== "no_review") throw error;
      await this.#begin();
      return work();
    }
  }

  #wishes() {
    const advisers = h("details", { class: "fold" }, h("summary", {}, t("review.advisers")),
      h("div", { class: "ticks" }, this.known.map((name) => tick(name, this.wish.agents.includes(name), (on) => {
        this.wish.agents = on ? [...this.wish.agents, name].slice(-MOST_ADVISERS) : this.wish.agents.filter((each) => each !== name);
        if (!this.wish.agents.length) this.wish.agents = ["champion"];
        this.#again();
      }, { "data-adviser": name }))));
    return h("div", { class: "wishes" },
      choice(t("review.whose"), [["", t("review.everybody")], ...this.data.players.map((name, seat) => [seat, name])], this.wish.seat ?? "", (seat) => {
        this.wish.seat = seat === "" ? null : Number(seat);
        this.#again();
      }, { id: "whose" }),
      tick(t("review.all_dice"), this.allDice, (on) => {
        this.allDice = on;
        this.#drawBoard();
      }, { id: "all-dice" }), advisers);
  }

  #drawTop() {
    const worst = this.data.decisions.filter((decision) => decision.cost?.flagged).sort((a, b) => b.cost.cost - a.cost.cost).slice(0, 3);
    show(this.top, h("h2", {}, t("review.costliest")),
      this.data.problem ? h("p", { class: "problem" }, reason({ code: this.data.code, message: this.data.problem })) : null,
      worst.length ? h("ol", { class: "cards" }, worst.map((decision) => h("li", {}, h("button", { type: "button", class: "card cost-card", "data-costly": decision.n, onclick: () => this.#goTo(decision.n) },
        h("b", {}, t("review.card", { round: decision.round, name: this.data.players[decision.seat], action: spoken(decision.action) })),
        h("span", {}, this.#costText(decision.cost)))))) : h("p", { class: "nothing" }, this.data.done ? t("review.nothing_cost") : this.data.position ? t("review.waiting", { count: this.data.position }) : t("review.working")),
      h("p", { class: "hint" }, t("review.how", { samples: this.data.samples / 2 }), this.data.done ? "" : ` ${t("review.so_far", { count: this.data.decisions.length })}`),
      this.data.game ? h("p", { class: "hint" }, this.#share(`#/review/${this.data.game}`, t("review.share")), " · ",
        h("a", { href: `/api/games/${this.data.game}/record`, download: "" }, t("review.record")), " · ", h("a", { href: `/api/games/${this.data.game}/notation` }, t("review.notation")))
        : this.link ? h("p", { class: "hint" }, this.#share(this.link, t("review.share_text"))) : null);
  }

  // A link to share. Clicking it copies it, since the visitor is already on its page.
  #share(href, text) {
    return h("a", { href, id: "share", onclick: (event) => {
      event.preventDefault();
      copyText(new URL(href, location).href);
    } }, text);
  }

  #costText(cost) {
    const points = (share) => number(share * 100, 1);
    return t("review.cost", { cost: points(cost.cost), low: points(cost.low), high: points(cost.high), best: spoken(cost.best) });
  }

  async #playOn(n) {
    const { table } = await retryingAsGuest(() => this.#there(() => post(`/api/reviews/${this.data.id}/tables`, { n })));
    location.hash = `#/table/${table}`;
  }

  #decisions() {
    return this.data.steps.flatMap((step, place) => (step.event === "act" && step.action !== "decline" && (this.wish.seat === null || step.seat === this.wish.seat) ? [place] : []));
  }

  #decision(direction) {
    const all = this.#decisions();
    const next = direction > 0 ? all.find((place) => place > this.place) : all.findLast((place) => place < this.place);
    if (next !== undefined) this.#go(next);
  }

  #goTo(n) {
    this.#go(this.data.steps.findIndex((step) => step.n === n));
    this.board.scrollIntoView({ block: "nearest" });
  }

  #go(place) {
    this.place = place;
    this.slider.value = String(place);
    const step = this.data.steps[place];
    this.slider.setAttribute("aria-valuetext", this.#told(step));
    this.retry.replaceChildren();
    this.#drawBoard();
    this.#drawVerdict();
  }

  #key(event) {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "ArrowLeft") this.#decision(-1);
    else if (event.key === "ArrowRight") this.#decision(1);
  }

  #told(step) {
    const game = { names: this.data.players, seat: null, counts: step.counts, palafico: null, wild: step.wild };
    if (step.event === "deal") return t("table.round", { round: step.round });
    return sentence({ ...step, kind: step.event, dice: step.hands, payoffs: step.winner === null ? [] : this.data.players.map((_, seat) => (seat === step.winner ? 1 : 0)) }, game) ?? t("action.decline");
  }

  #drawBoard() {
    const step = this.data.steps[this.place];
    const before = this.data.steps[this.place - 1];
    // Show a decision as it was before the action, with the bid that stood then.
    const standing = step.event === "act" ? before : step;
    const shown = (seat) => this.allDice || seat === step.seat || step.event === "result";
    const bid = parts(standing?.bid);
    show(this.board,
      h("h2", {}, t("table.round", { round: step.round }), step.palafico === null ? "" : ` · ${t("told.palafico_short")}`),
      h("ul", { class: "review-seats" }, this.data.players.map((name, seat) => h("li", { class: seat === step.seat ? "acting-seat" : step.hands[seat] ? "" : "no-dice" },
        h("span", { class: "seat-name" }, name),
        h("span", { class: "review-hand", role: "img", "aria-label": shown(seat) ? [...step.hands[seat]].join(", ") || t("told.no_dice_them") : t("review.hidden") },
          [...step.hands[seat]].map((face) => die(shown(seat) ? Number(face) : 0, bid && shown(seat) && (Number(face) === bid.face || Number(face) === step.wild) ? "lit" : "")))))),
      h("p", { class: "review-bidding" }, (standing?.history ?? []).slice(-6).map(([seat, action]) => h("span", { class: "chip" }, `${this.data.players[seat]} `, bidShort(action)))),
      h("p", { class: "verdict", "data-step": step.n }, this.#told(step)));
  }

  #drawVerdict() {
    const step = this.data.steps[this.place];
    const decision = this.found.get(step.n);
    if (step.event !== "act" || step.action === "decline") return show(this.verdict, h("p", { class: "nothing" }, t("review.no_decision")));
    if (!decision) return show(this.verdict, h("p", { class: "nothing" }, this.data.done ? t("review.not_theirs") : t("review.working")));
    const { cost } = decision;
    const changed = show(this.verdict,
      h("h2", {}, t("review.said", { name: this.data.players[decision.seat], action: spoken(decision.action) })),
      decision.chance === null ? null : h("p", {}, t("review.chance", { chance: percent(decision.chance) }), h("meter", { min: 0, max: 1, value: decision.chance, "aria-label": t("review.chance_label") }),
        decision.truth === null ? "" : ` ${t(decision.truth ? "review.true" : "review.false")}`),
      decision.standing === null ? null : h("p", {}, t("review.standing", { chance: percent(decision.standing) })),
      cost ? [
        h("p", { class: cost.flagged ? "cost flagged" : "cost", "data-cost": cost.cost }, cost.flagged ? this.#costText(cost) : t("review.no_cost", { low: number(cost.low * 100, 1), high: number(cost.high * 100, 1) })),
        h("p", { class: "hint" }, t("review.luck", { luck: (cost.luck > 0 ? "+" : "") + number(cost.luck * 100, 1) })),
      ] : null,
      h("h3", {}, t("review.advice")),
      h("ul", { class: "opinions" }, decision.opinions.map((opinion) => h("li", { "data-opinion": opinion.agent }, h("b", {}, `${opinion.agent}: `, spoken(opinion.action)), " ", thoughts(opinion)))),
      h("div", { class: "row" }, button(t("review.retry"), () => this.retry.replaceChildren(retryPanel(this.data, step.n, (work) => this.#there(work))), { class: "button", id: "retry" }),
        this.data.players.length > MOST_SEATS ? null : button(t("review.retry_table"), () => this.#playOn(step.n), { class: "button", id: "retry-table" })));
    return changed;
  }
}

function thoughts(opinion) {
  const told = [];
  if (opinion.phase) told.push(t("thought.phase", { phase: has(`phase.${opinion.phase}`) ? t(`phase.${opinion.phase}`) : opinion.phase }));
  if (opinion.chance !== null) told.push(t("thought.chance", { chance: percent(opinion.chance) }));
  if (opinion.rollouts) told.push(t("thought.rollouts", { count: opinion.rollouts }));
  const mixture = Object.entries(opinion.probabilities ?? {}).slice(0, 3).map(([action, share]) => `${spoken(action)} ${percent(share)}`);
  if (mixture.length) told.push(t("thought.mixture", { actions: mixture.join(", ") }));
  else {
    const values = Object.entries(opinion.values).slice(0, 3).map(([action, value]) => `${spoken(action)} ${number(value, 3)}`);
    if (values.length) told.push(t("thought.values", { actions: values.join(", ") }));
  }
  return h("span", { class: "hint" }, told.join(" · "));
}
