// Recomputes the dice of a game from the server's commitments (see Fair dice in docs/protocol.md).

import { sha256, hmac, hex, fromHex, bytesOf } from "../../sha256.js";

const LARGEST_FAIR = 252; // a multiple of six; bytes from here on are drawn again

// A failed check: `code` names it, `values` say where.
export class Unfair extends Error {
  constructor(code, values = {}) {
    super(code);
    Object.assign(this, { code, values });
  }
}

function require(holds, code, values) {
  if (!holds) throw new Unfair(code, values);
}

const shaOfHex = (text) => hex(sha256(fromHex(text)));
const derive = (key, label) => hex(hmac(fromHex(key), bytesOf(label)));

function* draws(key, label, mixed) {
  for (let block = 0; ; block += 1) {
    for (const byte of fromHex(derive(key, `${label} ${block}${mixed}`))) if (byte < LARGEST_FAIR) yield byte;
  }
}

function diceOf(key, count, mixed) {
  const source = draws(key, "dice", mixed);
  return Array.from({ length: count }, () => (source.next().value % 6) + 1).sort().join("");
}

// Check the dice of a game. `events` come from a table or from a record (without its header), and
// `options` are the options of its rules. Returns counts of what was checked, or null if the dice
// were not committed to; throws `Unfair`. Before the end the secret is unknown, and only revealed
// hands are checked.
export function checkDice(events, options, { anchor = null, seed = null } = {}) {
  const told = events.map((event) => ({ ...event, kind: event.kind ?? event.event }));
  const first = told.find((event) => event.kind === "deal");
  if (!first?.fair) return null;
  try {
    return check(told, options, first.fair, anchor, seed);
  } catch (error) {
    if (error instanceof TypeError) throw new Unfair("missing"); // a commitment or key is missing
    throw error;
  }
}

function check(told, options, start, anchor, seed) {
  require(anchor === null || start.anchor === anchor, "anchor");
  require(seed === null || start.seeds.includes(seed), "seed");
  const mixed = hex(sha256(bytesOf(start.seeds.join("\n"))));
  const end = told.findLast((event) => event.kind === "end");
  const secret = end ? end.fair.secret : null;
  require(secret === null || shaOfHex(secret) === start.anchor, "secret");
  let promised = told.find((event) => event.kind === "started")?.commit ?? null;
  const hands = new Set();
  let round = 0, deal = null;
  for (const event of told) {
    if (event.kind === "deal") {
      deal = event;
      round += 1;
      require(promised === null || promised === deal.fair.commit, "commit", { round });
      promised = deal.fair.next;
      if (round === 1) checkStart(deal, options, mixed);
      if (secret !== null) checkRound(secret, deal, round, mixed, hands);
    } else if (event.kind === "result") {
      checkShown(event, deal, round, mixed, hands);
    }
  }
  return { rounds: round, hands: hands.size, complete: secret !== null };
}

// Check that a deal follows from the secret.
function checkRound(secret, deal, round, mixed, hands) {
  const roundSeed = derive(secret, `round ${round}`);
  require(shaOfHex(roundSeed) === deal.fair.commit, "commit", { round });
  require(shaOfHex(derive(secret, `round ${round + 1}`)) === deal.fair.next, "commit", { round });
  if (deal.fair.start_key) require(derive(roundSeed, "start") === deal.fair.start_key, "start");
  deal.fair.locks.forEach((lock, seat) => {
    const key = derive(roundSeed, `seat ${seat}`);
    require(hex(sha256(fromHex(key))) === lock, "hand", { round, seat });
    if (!deal.dice[seat]) return; // no dice, or hidden from this viewer
    require(diceOf(key, deal.dice[seat].length, mixed) === deal.dice[seat], "hand", { round, seat });
    hands.add(`${round} ${seat}`);
  });
}

// Check that revealed hands follow from their keys, and that the keys match their locks.
function checkShown(result, deal, round, mixed, hands) {
  result.fair.keys.forEach((key, seat) => {
    const dice = result.hands[seat];
    require(Boolean(key) === Boolean(dice), "hand", { round, seat });
    if (!dice) return;
    const dealt = deal.dice[seat] || dice;
    require(shaOfHex(key) === deal.fair.locks[seat] && dealt === dice && diceOf(key, dice.length, mixed) === dice, "hand", { round, seat });
    hands.add(`${round} ${seat}`);
  });
}

// Check the opener of the first round: by a roll of all players, at random, or the first seat.
function checkStart(deal, options, mixed) {
  if (!deal.fair.start_key) return;
  require(options.start_mode === "roll" || !deal.start_roll, "start");
  const source = draws(deal.fair.start_key, "start", mixed);
  const seats = deal.dice.flatMap((hand, seat) => (hand === "" ? [] : [seat]));
  if (options.start_mode === "random") {
    const limit = LARGEST_FAIR - (LARGEST_FAIR % seats.length);
    let drawn = source.next().value;
    while (drawn >= limit) drawn = source.next().value;
    require(seats[drawn % seats.length] === deal.opener, "start");
  } else if (options.start_mode === "roll") {
    const attempts = deal.start_roll;
    for (const attempt of attempts) for (const face of attempt) if (face !== null) require((source.next().value % 6) + 1 === face, "start");
    const last = attempts.at(-1);
    require(last.filter((face) => face === Math.max(...last)).length === 1 && last.indexOf(Math.max(...last)) === deal.opener, "start");
  } else {
    require(deal.opener === seats[0], "start");
  }
}
