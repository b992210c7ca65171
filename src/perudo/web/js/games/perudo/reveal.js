// The reveal of a settled round: matching dice light up one by one while they are counted.

import { parts } from "./wording.js";
import { lessMotion } from "../../choices.js";

const SLOWEST_MS = 420, COUNT_MS = 2600, LOOK_MS = 2800;

// Find the dice that counted. The result does not name the wild face, but its count shows it.
export function matches(event, wildBefore) {
  const bid = parts(event.bid);
  if (!bid || event.count === null) return [];
  for (const wild of [wildBefore, null, 1, 6]) {
    const found = event.hands.flatMap((hand, seat) => [...hand].map((face, place) => ({ seat, place, face: Number(face) })))
      .filter(({ face }) => face === bid.face || face === wild);
    if (found.length === event.count) return found;
  }
  return [];
}

// Steps through a reveal: calls `show(reveal)` at each step, and `done()` at the end or when skipped.
export class Reveal {
  #timer = null;
  #ended = false;

  constructor(event, wildBefore, first, show, done) {
    this.event = event;
    this.found = matches(event, wildBefore).sort((a, b) => order(a, first, event) - order(b, first, event));
    this.counted = 0;
    this.finished = false; // all dice are counted and the outcome is shown
    this.show = show;
    this.done = done;
  }

  start(stay = false) {
    this.stay = stay;
    if (lessMotion() || !this.found.length) this.#tell();
    else this.#step();
    return this;
  }

  #step() {
    this.show(this);
    if (this.counted === this.found.length) {
      this.#timer = setTimeout(() => this.#tell(), 350);
      return;
    }
    const pause = Math.min(SLOWEST_MS, COUNT_MS / this.found.length);
    this.#timer = setTimeout(() => {
      this.counted += 1;
      this.#step();
    }, pause);
  }

  #tell() {
    this.counted = this.found.length;
    this.finished = true;
    this.show(this);
    if (!this.stay) this.#timer = setTimeout(() => this.end(), this.hurried ? 0 : LOOK_MS);
  }

  // Shorten the reveal when a decision is wanted: finish counting, but do not pause at the outcome.
  hurry() {
    if (this.stay || this.hurried) return;
    this.hurried = true;
    if (this.finished) this.end();
  }

  lit(seat, place) {
    return this.found.slice(0, this.counted).some((die) => die.seat === seat && die.place === place);
  }

  // Skip to the outcome, or from the outcome to the end.
  skip() {
    clearTimeout(this.#timer);
    if (this.finished) this.end();
    else this.#tell();
  }

  end() {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#ended = true;
    this.done();
  }
}

// Count around the table, beginning with the seat `first`.
function order(found, first, event) {
  const seats = event.hands.length;
  return ((found.seat - first + seats) % seats) * 10 + found.place;
}
