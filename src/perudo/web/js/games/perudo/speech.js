// Sentences for the events of a game.

import { t, has, playerName } from "../../words.js";
import { spoken, faces, parts, dice } from "./wording.js";

function who(game, seat) {
  return game.names[seat] || game.formerly?.[seat] || t("seat.free");
}

// A sentence in the second or third person: "You lose a die" or "Ann loses a die".
function phrase(game, key, seat, values = {}) {
  return seat === game.seat ? t(`you.${key}`, values) : t(`they.${key}`, { name: who(game, seat), ...values });
}

export function sentence(event, game) {
  const teller = TELLERS[event.kind];
  if (teller) return teller(event, game);
  const key = `told.${event.kind}`;
  return has(key) ? t(key, { ...event, name: who(game, event.seat) }) : null;
}

// An event that is not here has the words of its kind, if the catalogues have any.
const TELLERS = {
  started: (event, game) => t("told.started", { game: event.game, names: game.names.join(", ") }),
  deal: dealt,
  act: acted,
  result: settled,
  end: (event, game) => phrase(game, "won", event.payoffs.indexOf(Math.max(...event.payoffs))),
  seated: (event) => t("told.seated", { name: playerName(event.player.name) }),
  left: (event, game) => t(event.reason === "kicked" ? "told.kicked" : "told.left", { name: who(game, event.seat) }),
  paused: (event) => (event.limit ? t("table.ran_out") : event.by === null ? t("table.goes_on") : t(event.on ? "told.paused" : "told.goes_on", { name: event.by })),
  rematch: (event, game) => phrase(game, "rematch", event.seat),
  said: (event, game) => t("told.said", { name: who(game, event.seat), words: saidWords(event) }),
};

export function saidWords(event) {
  return event.reaction ?? event.text ?? t(`phrase.${event.phrase}`);
}

function dealt(event, game) {
  const counts = event.dice.map((hand, seat) => (hand === null ? null : hand.length) ?? game.counts?.[seat] ?? 0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const told = [t("told.round", { round: event.round, total })];
  const own = game.seat === null ? null : event.dice[game.seat];
  if (own) told.push(t("told.own", { dice: dice(own) }));
  if (game.palafico !== null && game.palafico !== undefined) told.push(palafico(game));
  told.push(phrase(game, "open", event.opener));
  return told.join(" ");
}

export function palafico(game) {
  return phrase(game, game.wild ? "palafico_round_wild" : "palafico_round", game.palafico);
}

function acted(event, game) {
  if (event.action === "decline") return null; // declining is silent
  const bid = parts(event.action);
  const late = event.by === "timer" ? `${t("told.time_is_up")} ` : "";
  if (bid) return late + phrase(game, "bid", event.seat, { bid: spoken(event.action) });
  return late + phrase(game, event.action, event.seat);
}

export function settled(event, game) {
  const bid = parts(event.bid);
  const told = [];
  if (bid && event.count !== null) {
    told.push(t("told.counted", { count: event.count, face: faces(bid.face, event.count), bid: spoken(event.bid) }));
  }
  told.push(phrase(game, event.reason.replaceAll(" ", "_"), event.caller));
  event.lost.forEach((lost, seat) => lost && told.push(phrase(game, "lose", seat, { count: lost })));
  event.gained.forEach((gained, seat) => gained && told.push(phrase(game, "gain", seat, { count: gained })));
  if (!event.lost.some(Boolean) && !event.gained.some(Boolean)) told.push(t("told.nothing_changes"));
  return told.join(" ");
}

// --- sentences for keyboard shortcuts ----------------------------------------------------------
export function ownDice(view) {
  return view?.dice ? t("told.own", { dice: dice(view.dice) }) : t("told.no_dice");
}

export function standingBid(view, game) {
  if (!view) return t("told.no_game");
  if (!view.bid) return t("told.no_bid");
  return view.bidder === game.seat ? t("told.standing_own", { bid: spoken(view.bid) })
    : t("told.standing", { bid: spoken(view.bid), name: who(game, view.bidder) });
}

export function diceCounts(view, game) {
  if (!view) return t("told.no_game");
  const counts = view.counts.map((count, seat) => t("told.count_of", { name: who(game, seat), number: count }));
  return `${t("told.total", { total: view.total })} ${counts.join(", ")}.`;
}

export function timeLeft(seconds) {
  return seconds === null ? t("told.no_timer") : t("told.seconds", { count: Math.ceil(seconds) });
}
