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

const isAnchor = (text) => /^[0-9a-f]{64}$/.test(text);
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
//
// A player knows more: the `seat`, the `anchor` that was noted before the game, the `seed` sent then,
// `earlier` notes with how many `games` ago they were made, and the anchor of the game `before` if it
// commits to this one as well. `own` then says whether a seed of this player, sent after a commitment
// to the secret, is among the seeds.
export function checkDice(events, options, known = {}) {
  const told = events.map((event) => ({ ...event, kind: event.kind ?? event.event }));
  const first = told.find((event) => event.kind === "deal");
  if (!first?.fair) {
    require(!known.anchor && !known.before, "missing");
    return null;
  }
  try {
    const own = checkNotes(first.fair, told.find((event) => event.kind === "started"), known);
    return { ...check(told, options, first.fair), ...own };
  } catch (error) {
    if (error instanceof TypeError) throw new Unfair("missing"); // a commitment or key is missing
    throw error;
  }
}

// Compare a game's commitment and seeds with what a player noted.
function checkNotes(start, started, { seat = null, anchor = null, seed = null, earlier = [], before = null }) {
  require(isAnchor(start.anchor), "missing");
  require(!anchor || start.anchor === anchor, "anchor");
  require(!before || shaOfHex(start.anchor) === before, "chain");
  const mine = seat === null ? start.seeds : [start.seeds[seat]];
  require(!seed || mine.includes(seed), "seed");
  started?.players.forEach((player, place) => require(player.kind !== "ai" || !start.seeds[place], "ai_seed", { seat: place }));
  if (seat === null) return {};
  return { own: Boolean(seed) || earlier.some((note) => mine.includes(note.seed) && anchorBefore(start.anchor, note.games) === note.anchor) };
}

// The anchor of a number of games before, if the secrets are a chain.
function anchorBefore(anchor, games) {
  for (let game = 0; game < games; game += 1) anchor = shaOfHex(anchor);
  return anchor;
}

function check(told, options, start) {
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
  require(deal.fair.start_key, "missing");
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
