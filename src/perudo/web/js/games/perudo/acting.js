// The player's controls: own dice, buttons for calls, the bid picker and typed actions.

import { h, button, show, tick } from "../../dom.js";
import { die } from "./die.js";
import { t, percent } from "../../words.js";
import { dice } from "./wording.js";
import { diceLine } from "./checked.js";
import { bidPicker, typed } from "./bid.js";
import { change } from "./felt.js";

const LOUD = { dudo: "dudo", doubt: "dudo", calza: "calza", palafico: "calza" };

export class Acting {
  constructor(game, acts) {
    this.game = game;
    this.acts = acts;
    this.hand = h("div", { class: "hand" });
    this.status = h("p", { class: "status", tabindex: "-1" });
    this.clock = h("span", { class: "clock", "aria-hidden": "true" });
    this.words = h("div", { class: "words" });
    this.picker = h("div", { class: "picker" });
    this.input = h("input", { id: "typed", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "20", placeholder: "3x5" });
    this.form = h("form", { class: "typing", onsubmit: (event) => this.#type(event) },
      h("label", { for: "typed" }, t("typing.label")), this.input, h("button", { class: "button small" }, t("typing.say")));
    this.element = h("section", { class: "acting", "aria-label": t("table.your_side") },
      h("div", { class: "status-line" }, this.status, this.clock), this.words, this.picker, this.form);
  }

  draw(reveal) {
    const { game } = this;
    const { view, info } = game;
    const seat = game.seat;
    const watching = seat === null;
    this.element.classList.toggle("watching", watching);
    this.form.hidden = watching || !view || view.over;
    this.element.hidden = !view || (view.over && !reveal);
    show(this.hand, watching || (view?.over && !reveal) ? [] : this.#dice(reveal));
    show(this.status, this.#status(reveal));
    const inside = this.element.contains(document.activeElement) && document.activeElement !== this.input;
    const legal = reveal || !view?.legal ? [] : view.legal;
    const changed = show(this.words, this.#buttons(legal)) | show(this.picker, bidPicker(legal, view?.odds, this.acts.act) ?? this.#rest(reveal));
    this.element.classList.toggle("asked", legal.length > 0);
    this.element.dataset.question = String(view?.question ?? "");
    // Keep the keyboard's focus in the controls: on the bids during the turn, otherwise on the status line.
    const lost = !this.element.contains(document.activeElement) || (legal.length && document.activeElement === this.status);
    if (changed && inside && lost) {
      (this.picker.querySelector('button[tabindex="0"]') ?? this.words.querySelector("button") ?? this.status).focus();
    }
    if (info.rated) this.element.classList.add("rated");
  }

  #dice(reveal) {
    const { view, seat, names } = this.game;
    const hand = reveal ? reveal.event.hands[seat] || reveal.before?.dice : view?.dice;
    if (!view) return [h("p", { class: "own-name" }, names[seat])];
    if (!hand) return [h("p", { class: "nothing" }, t("table.you_are_out"))];
    const label = t("told.own", { dice: dice(hand) });
    return [h("div", { class: "hand-dice", role: "img", "aria-label": label, "data-dice": hand },
      [...hand].map((face, index) => die(Number(face), reveal ? (reveal.lit(seat, index) ? "lit" : "dim") : ""))),
    reveal?.finished ? change(reveal.event, seat) : null];
  }

  #status(reveal) {
    const { view, info, seat, names } = this.game;
    if (!view || view.over) return "";
    if (info.paused) return t(info.limit ? "table.ran_out" : "table.paused");
    if (reveal) return t("reveal.counting");
    if (view.window) {
      return view.legal ? t("window.asked") : t("window.open");
    }
    if (view.legal) return view.bid ? t("table.your_turn") : t("table.your_turn_open");
    if (seat !== null && !view.counts[seat]) return t("table.watching_rest");
    return view.turn === null ? "" : t("table.thinking", { name: names[view.turn] });
  }

  #buttons(legal) {
    const { view } = this.game;
    return legal.filter((action) => !/^\d/.test(action)).map((action) => {
      const chance = view.odds?.[action];
      return h("button", { type: "button", class: `word ${LOUD[action] ?? ""}`, "data-word": action, onclick: () => this.acts.act(action) },
        h("span", {}, action === "decline" && view.window ? t("window.decline") : t(`action.${action}`)),
        chance === undefined || chance === null ? h("small", {}, t(`hint.${action}`)) : h("small", {}, percent(chance)));
    });
  }

  // The content in place of bids: the check of the dice just revealed, or a button for players who are out.
  #rest(reveal) {
    const { view, seat, info, dice: found, names } = this.game;
    if (reveal) return reveal.finished && found ? [diceLine(found.problem ? found : { ...found, complete: false }, names)] : [];
    if (!view || view.over || seat === null || info.paused) return [];
    const people = info.seats.some((each, place) => view.counts[place] && each.player?.kind !== "ai" && !each.stand_in);
    if (!view.counts[seat] && !people) return [button(t("table.hurry"), () => this.acts.send({ type: "hurry" }), { class: "button", id: "hurry" })];
    return [];
  }

  // Update the seconds left, without redrawing anything else.
  tickClock(left, whole) {
    this.clock.textContent = left === null ? "" : t("table.seconds", { seconds: Math.ceil(left) });
    this.clock.classList.toggle("late", left !== null && left <= 5);
    this.clock.style.setProperty("--left", left === null || !whole ? "0" : String(Math.min(left / whole, 1)));
  }

  #type(event) {
    event.preventDefault();
    const legal = this.game.view?.legal ?? [];
    const action = typed(this.input.value, legal);
    if (action === null) this.acts.complain(t("typing.unreadable", { text: this.input.value }));
    else if (!legal.length) this.acts.complain(t("typing.not_asked"));
    else {
      this.acts.act(action);
      this.input.value = "";
    }
  }
}

export function oddsSwitch(game, on, change) {
  return game.info.rated ? h("p", { class: "hint" }, t("odds.rated")) : tick(t("odds.show"), on, change, { id: "odds" });
}
