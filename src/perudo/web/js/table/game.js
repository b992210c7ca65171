// The client's state of one table, updated from the server's messages and read by the views.

import { sentence } from "../games/perudo/speech.js";
import { checked } from "../games/perudo/checked.js";
import { playerName } from "../words.js";
import { Notes } from "./notes.js";

export class TableGame extends EventTarget {
  info = null;
  view = null;
  n = 0;
  events = [];
  transcript = []; // {n, kind, text}: the events of this game that have a sentence
  lastResult = null; // {event, before}: the last settled round and the view before it
  formerly = []; // the last player's name of each seat, because `info` no longer has players who left
  receivedAt = 0;
  #dice; // the cached outcome of checking the dice

  // `key` is an invitation key; drop characters that a link may have been wrapped in.
  constructor(id, me, key = null) {
    super();
    this.id = id;
    this.me = me;
    this.notes = new Notes(id);
    this.key = /^[\w-]*/.exec(key ?? "")[0].slice(0, 64) || null;
  }

  get seat() {
    if (!this.info) return null;
    const seat = this.info.seats.findIndex((each) => each.player && each.player.id === this.me.id);
    return seat < 0 ? null : seat;
  }

  get names() {
    return (this.info?.seats ?? []).map((seat) => playerName(seat.player?.name));
  }

  get creator() {
    return this.info?.creator === this.me.id;
  }

  // True if the server shows this visitor the key for seats by invitation.
  get mayInvite() {
    return this.creator || this.seat !== null;
  }

  mayTake(seat) {
    return this.seat === null && (this.info.seats[seat].kind !== "invited" || this.creator || this.key !== null);
  }

  get counts() {
    return this.view?.counts;
  }

  get palafico() {
    return this.view?.palafico ?? null;
  }

  get wild() {
    return this.view?.wild ?? null;
  }

  // Seconds left for the turn or in the calza window; null without a timer.
  secondsLeft() {
    const left = this.view?.window ? this.view.window.seconds : this.view?.seconds;
    if (left === null || left === undefined) return null;
    return Math.max(left - (performance.now() - this.receivedAt) / 1000, 0);
  }

  take(message) {
    const everything = message.type === "table";
    this.n = message.n;
    this.names.forEach((name, seat) => { if (name) this.formerly[seat] = name; });
    this.info = message.info ?? this.info;
    const before = this.view;
    this.view = message.view;
    this.receivedAt = performance.now();
    const fresh = [];
    if (everything) {
      this.events = [];
      this.transcript = [];
    }
    for (const event of message.events) {
      if (!everything && event.n <= (this.events.at(-1)?.n ?? 0)) continue;
      if (event.kind === "started") {
        this.events = [];
        this.transcript = [];
      }
      if (event.kind === "seated") this.formerly[event.seat] = playerName(event.player.name);
      this.events.push(event);
      fresh.push(event);
      const fair = event.kind === "deal" ? event.fair : null;
      if (fair?.anchor) this.notes.add(this.info.game, { chained: fair.later_games ? fair.anchor : null });
      if (event.kind === "result") this.lastResult = { event, before };
      const text = sentence(event, this);
      if (text !== null) this.transcript.push({ n: event.n, kind: event.kind, text });
    }
    if (everything || fresh.some((event) => event.kind === "result" || event.kind === "end")) this.#dice = undefined;
    this.dispatchEvent(new CustomEvent("change", { detail: { fresh, everything, before } }));
  }

  // The number of the event before which talk is missing: the server sends the newest only. Null if none is.
  get missing() {
    const place = this.events.findLastIndex((event, index) => index > 0 && event.n > this.events[index - 1].n + 1);
    return place < 0 ? null : this.events[place].n;
  }

  // Put older talk where it belongs.
  takeEarlier(message) {
    const inOrder = (one, other) => one.n - other.n;
    const known = new Set(this.events.map((event) => event.n));
    const older = message.events.filter((event) => !known.has(event.n));
    this.events = [...this.events, ...older].sort(inOrder);
    const told = older.map((event) => ({ n: event.n, kind: event.kind, text: sentence(event, this) }));
    this.transcript = [...this.transcript, ...told].sort(inOrder);
    this.dispatchEvent(new CustomEvent("change", { detail: { fresh: [], everything: false, before: this.view } }));
  }

  // The actions of the round that an event settles, without declines: [seat, action], in order.
  saidBefore(result) {
    const round = this.events.filter((event) => event.n < result.n);
    return round.slice(round.findLastIndex((event) => event.kind === "deal") + 1)
      .filter((event) => event.kind === "act" && event.action !== "decline").map((event) => [event.seat, event.action]);
  }

  // The number of the game that begins next, whose dice the server has committed to; null while one is played.
  get nextGame() {
    if (!this.info?.anchor || this.info.status === "closed") return null;
    return this.view && !this.view.over ? null : this.info.game + 1;
  }

  // The outcome of checking the dice revealed so far; null if the server made no commitment.
  get dice() {
    if (this.#dice === undefined) this.#dice = this.#checkDice();
    return this.#dice;
  }

  #checkDice() {
    const number = this.events.find((event) => event.kind === "started")?.game;
    return checked(this.events, this.info.options, this.seat === null ? {} : this.notes.known(number, this.seat));
  }

  refused(message) {
    this.dispatchEvent(new CustomEvent("refused", { detail: message }));
  }
}
