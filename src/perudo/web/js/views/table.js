// The table page: combines the felt, the player's controls and the side panel, and sends messages.

import { h, button, show } from "../dom.js";
import { line } from "../line.js";
import { me } from "../api.js";
import { t, reason } from "../words.js";
import { kept, keep } from "../choices.js";
import { TableGame } from "../table/game.js";
import { seats, centre, corner } from "../games/perudo/felt.js";
import { Acting } from "../games/perudo/acting.js";
import { Side } from "../table/side.js";
import { Reveal } from "../games/perudo/reveal.js";
import { ownDice, standingBid, diceCounts, timeLeft } from "../games/perudo/speech.js";
import { invitation } from "../table/invite.js";
import { play } from "../sound.js";
import { notice, say } from "../notices.js";
import { diceWords } from "../games/perudo/checked.js";
import { levels, usual } from "../levels.js";

const SPOKEN_SECONDS = [10, 5];
const CLOCK_MS = 200;

// 256 random bits in hexadecimal: the player's contribution to the dice.
function seed() {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class PerudoTable extends HTMLElement {
  #reveal = null;
  #declining = false;
  #spokenAt = Infinity;
  #whole = null;
  #clock = null;
  #keys = (event) => this.#key(event);
  #wasAsked = false;

  async open(id, { sit = false, key = null } = {}) {
    this.id = "table";
    const game = (this.game = new TableGame(id, await me(), key));
    this.wantsSeat = sit;
    this.acts = this.#acts();
    this.seats = h("ol", { class: "seats", "aria-label": t("table.seats") });
    this.middle = h("div", { class: "centre" });
    this.corner = h("div", { class: "corner" });
    this.broken = h("p", { class: "broken", hidden: true }, t("line.down"));
    this.waiting = h("section", { class: "waiting", hidden: true });
    this.acting = new Acting(game, this.acts);
    this.side = new Side(game, this.acts);
    this.replaceChildren(h("h1", { class: "unseen" }, t("table.title")),
      h("div", { class: "table-view" },
        h("div", { class: "play" }, this.broken,
          h("section", { class: "felt", "aria-label": t("table.felt") }, this.seats, this.middle, this.corner, this.acting.hand),
          this.waiting, this.acting.element),
        this.side.element));
    game.addEventListener("change", (event) => this.#changed(event.detail));
    game.addEventListener("refused", (event) => this.#refused(event.detail));
    this.onDown = () => {
      this.broken.hidden = false;
      say(t("line.down"));
    };
    this.onUp = () => { this.broken.hidden = true; };
    line.addEventListener("down", this.onDown);
    line.addEventListener("up", this.onUp);
    document.addEventListener("keydown", this.#keys);
    this.#clock = setInterval(() => this.#tick(), CLOCK_MS);
    this.follower = { last: () => (game.n ? game.n : null), odds: () => kept("odds") ?? false, take: (message) => game.take(message), takeEarlier: (message) => game.takeEarlier(message), refused: (message) => game.refused(message) };
    line.follow(id, this.follower);
  }

  disconnectedCallback() {
    clearInterval(this.#clock);
    this.#reveal?.end();
    document.removeEventListener("keydown", this.#keys);
    line.removeEventListener("down", this.onDown);
    line.removeEventListener("up", this.onUp);
    if (this.game) line.leave(this.game.id, this.follower);
  }

  // --- receiving ----------------------------------------------------------------------------
  #changed({ fresh, everything, before }) {
    const { game } = this;
    if (this.wantsSeat && game.seat === null && game.info.seats.some((seat) => !seat.player)) {
      this.wantsSeat = false;
      this.acts.sit(null);
    }
    this.#sendSeed();
    const result = everything ? null : fresh.findLast((event) => event.kind === "result");
    for (const entry of game.transcript.slice(-fresh.length)) {
      if (!everything && fresh.some((event) => event.n === entry.n)) say(entry.text);
    }
    if (everything && game.view) say(`${standingBid(game.view, game)} ${ownDice(game.view)}`);
    if (fresh.some((event) => event.kind === "end") && game.dice || (result && game.dice?.problem)) say(diceWords(game.dice, game.names));
    if (result) this.#show(result, before, false);
    else if (game.view?.window && game.view.legal) this.#reveal?.hurry();
    this.#draw();
    const asked = Boolean(game.view?.legal) && !game.view.window;
    if (asked && !this.#wasAsked) {
      say(t("told.your_turn"));
      play("turn");
    } else if (game.view?.legal && game.view.window && fresh.some((event) => event.kind === "act")) {
      say(t("told.window", { seconds: Math.ceil(game.view.window.seconds) }));
    }
    if (fresh.some((event) => event.kind === "deal")) play("roll");
    this.#wasAsked = asked;
    if (fresh.some((event) => event.kind === "act" || event.kind === "deal")) {
      this.#spokenAt = Infinity;
      this.#whole = null;
    }
    const words = fresh.find((event) => event.kind === "said");
    if (words) setTimeout(() => this.isConnected && this.#draw(), 6200);
  }

  #draw() {
    const { game } = this;
    if (!game.info) return;
    const held = this.#held(this.middle);
    show(this.seats, seats(game, this.#reveal, this.acts));
    show(this.middle, centre(game, this.#reveal, this.acts));
    this.#giveBack(this.middle, held);
    show(this.corner, corner(game, this.#reveal, this.acts));
    this.acting.draw(this.#reveal);
    this.side.draw(this.#reveal);
    const open = game.info.seats.some((seat) => !seat.player) && game.info.status !== "closed";
    this.waiting.hidden = !open;
    if (open) this.#invite();
    this.classList.toggle("palafico", game.palafico !== null && !game.view.over);
    this.classList.toggle("over", Boolean(game.view?.over) && !this.#reveal);
  }

  // Draw the invitation again once the visitor has a seat, since players may share more.
  #invite() {
    const { mayInvite } = this.game;
    if (this.waiting.childElementCount && this.invited === mayInvite) return;
    this.invited = mayInvite;
    this.waiting.replaceChildren(invitation(this.game));
  }

  // Keep the keyboard's focus on a button that is redrawn.
  #held(part) {
    return part.contains(document.activeElement) ? document.activeElement.id || "any" : null;
  }

  #giveBack(part, held) {
    if (held && !part.contains(document.activeElement)) (document.getElementById(held) ?? part.querySelector("button, a"))?.focus();
  }

  #show(event, before, stay) {
    this.#reveal?.end();
    const reveal = new Reveal(event, before?.wild ?? null, event.caller, () => this.#draw(), () => {
      if (this.#reveal === reveal) this.#reveal = null;
      if (this.isConnected) this.#draw();
    });
    reveal.before = before;
    this.#reveal = reveal;
    reveal.start(stay);
  }

  #refused(error) {
    notice(reason(error));
    if (error.code !== "wrong_invitation") return;
    this.game.key = null; // it opens no seat, so do not send it again
    this.#draw();
  }

  // --- the clock ----------------------------------------------------------------------------
  #tick() {
    const { game } = this;
    const left = game.view && !game.view.over && !game.info.paused ? game.secondsLeft() : null;
    if (left !== null && this.#whole === null) this.#whole = game.view.window ? game.info.calza_window : game.info.timer;
    // Hide the clock while the last round is still being shown.
    this.acting.tickClock(this.#reveal ? null : left, this.#whole);
    if (left === null || !game.view.legal || game.view.window) return;
    const due = SPOKEN_SECONDS.find((seconds) => left <= seconds && left > seconds - 1 && this.#spokenAt > seconds);
    if (due) {
      this.#spokenAt = due;
      say(timeLeft(due));
      play("late");
    }
  }

  // --- sending ------------------------------------------------------------------------------
  #acts() {
    const send = async (message) => {
      try {
        return await line.ask({ table: this.game.id, ...message });
      } catch (error) {
        if (error.code !== "stale") this.#refused(error);
        return null;
      }
    };
    return {
      send,
      act: (action) => {
        const { view } = this.game;
        if (view?.legal) send({ type: "action", id: view.question, action });
      },
      sit: (seat) => {
        this.game.notes.drop(this.game.nextGame); // a seat that is taken again needs another seed
        send({ type: "sit", seat, seeds: true, ...(this.game.key ? { key: this.game.key } : {}) });
      },
      stand: async () => {
        if (await send({ type: "stand" })) location.hash = "#/";
      },
      fill: async (seat) => send({ type: "fill", seat, level: usual(await levels()) }),
      rematch: () => send({ type: "rematch" }),
      auto: (decline) => {
        this.#declining = decline;
        send({ type: "auto", decline });
      },
      autoDecline: () => this.#declining,
      odds: (on) => {
        keep("odds", on);
        line.reopen(this.game.id);
      },
      earlier: () => send({ type: "earlier", before: this.game.missing }),
      skip: () => this.#reveal?.skip(),
      again: () => {
        const last = this.game.lastResult;
        if (last) this.#show(last.event, last.before, true);
      },
      complain: (text) => this.#refused({ message: text }),
      invitation: () => invitation(this.game),
    };
  }

  // Once the server has committed to the next game's dice, note that and send a seed of one's own.
  async #sendSeed() {
    const { notes, seat, nextGame, info } = this.game;
    if (seat === null || nextGame === null || notes.of(nextGame)?.seed) return;
    const mine = seed();
    notes.add(nextGame, { anchor: info.anchor, seed: mine });
    if (!await this.acts.send({ type: "seed", game: nextGame, seed: mine })) notes.add(nextGame, { late: true });
  }

  // --- keyboard shortcuts ---------------------------------------------------------------------
  #key(event) {
    const { game } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && this.#reveal) {
      this.#reveal.skip();
      return;
    }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || kept("keys") === false || !game.info) return;
    const heard = {
      h: () => say(ownDice(game.view)),
      b: () => say(standingBid(game.view, game)),
      n: () => say(diceCounts(game.view, game)),
      t: () => say(timeLeft(game.secondsLeft())),
      r: () => this.acts.again(),
      i: () => this.acting.input.focus(),
      "?": () => say(t("keys.help")),
    }[event.key];
    if (!heard) return;
    event.preventDefault();
    heard();
  }
}

customElements.define("perudo-table", PerudoTable);

// `more` is "sit" if the address is an invitation to a seat; its key may follow.
export async function view(id, more, key) {
  const element = document.createElement("perudo-table");
  await element.open(id, { sit: more === "sit", key });
  return element;
}
