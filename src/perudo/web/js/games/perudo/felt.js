// The felt: seats with their cups around it, and the bid or the outcome in the middle.

import { h, button } from "../../dom.js";
import { cup, die, trophy } from "./die.js";
import { t, playerName, emptyName } from "../../words.js";
import { spoken, parts, faces } from "./wording.js";
import { palafico, settled, saidWords } from "./speech.js";
import { diceLine } from "./checked.js";
import { rulesName } from "./rules.js";

const BUBBLE_MS = 6000;

// The position of a seat, in percent of the felt. The viewer's own seat is at the bottom. For spectators
// the seats extend further down on both sides, more so if there are many.
function place(index, others, watching) {
  const arc = !watching ? 1.2 : others < 5 ? 1.4 : 1.6;
  const turn = Math.PI * (0.5 + arc / 2 - (arc * (index + 0.5)) / others);
  return [50 + 41.5 * Math.cos(turn), 51 - 36 * Math.sin(turn)];
}

export function seats(game, reveal, acts) {
  const { info, view } = game;
  const total = info.seats.length;
  const own = game.seat;
  const order = Array.from({ length: total }, (_, step) => ((own ?? -1) + 1 + step) % total).filter((seat) => seat !== own);
  return order.map((seat, index) => {
    const made = h("li", { class: seatClass(game, seat, reveal), "data-seat": seat }, seatInside(game, seat, reveal, acts));
    const [x, y] = place(index, order.length, own === null);
    made.style.setProperty("--x", `${x.toFixed(1)}%`);
    made.style.setProperty("--y", `${y.toFixed(1)}%`);
    return made;
  });
}

function seatClass(game, seat, reveal) {
  const { info, view } = game;
  const names = ["seat"];
  const shown = reveal ? reveal.before ?? view : view;
  if (shown && !shown.counts[seat]) names.push("out");
  if (!reveal && view && !view.over && waitsFor(view, seat)) names.push("turn");
  if (!reveal && view && view.bidder === seat && view.bid) names.push("bidder");
  if (reveal?.finished && reveal.event.lost[seat]) names.push("lost");
  if (reveal?.finished && reveal.event.gained[seat]) names.push("gained");
  if (!info.seats[seat].here) names.push("away");
  return names.join(" ");
}

function waitsFor(view, seat) {
  return view.window ? false : view.turn === seat;
}

function seatInside(game, seat, reveal, acts) {
  const { info, view } = game;
  const { player, stand_in: standIn, here } = info.seats[seat];
  if (!player) return emptySeat(game, seat, acts);
  const counts = (reveal ? reveal.before ?? view : view)?.counts;
  const count = counts ? counts[seat] : info.options.dice;
  const hand = reveal?.event.hands[seat];
  const said = !reveal && view && !view.over ? [...view.history].reverse().find(([by]) => by === seat) : null;
  const words = game.events.findLast?.((event) => event.kind === "said" && event.seat === seat && Date.now() - event.at * 1000 < BUBBLE_MS);
  return [
    words ? h("span", { class: "bubble" }, saidWords(words)) : null,
    hand ? h("span", { class: "shown-hand" }, [...hand].map((face, index) => die(Number(face), reveal.lit(seat, index) ? "lit" : "dim"))) : cup(count, seat),
    h("span", { class: "seat-name" }, playerName(player.name)),
    h("span", { class: "unseen" }, t("seat.dice", { count })),
    reveal?.finished ? change(reveal.event, seat) : said ? h("span", { class: "seat-said", "aria-hidden": "true" }, bidShort(said[1])) : null,
    standIn ? h("span", { class: "seat-note" }, t("seat.stand_in")) : here ? null : h("span", { class: "seat-note" }, t("seat.away")),
    info.games > 1 && info.wins[seat] ? h("span", { class: "seat-note" }, t("seat.wins", { count: info.wins[seat] })) : null,
  ];
}

export function change(event, seat) {
  if (event.lost[seat]) return h("span", { class: "change minus" }, `−${event.lost[seat]}`);
  if (event.gained[seat]) return h("span", { class: "change plus" }, `+${event.gained[seat]}`);
  return null;
}

function emptySeat(game, seat, acts) {
  return [
    h("span", { class: "free-seat", "aria-hidden": "true" }),
    h("span", { class: "seat-name" }, emptyName(game.info.seats[seat])),
    game.mayTake(seat) ? button(t("seat.sit"), () => acts.sit(seat), { class: "button small", "data-sit": seat }) : null,
    game.creator ? button(t("seat.fill"), () => acts.fill(seat), { class: "button small quiet", "data-fill": seat }) : null,
  ];
}

export function bidShort(action, kind = "tiny") {
  const bid = parts(action);
  return h("span", { class: "short" }, bid ? [h("b", {}, `${bid.quantity}×`), die(bid.face, kind)] : h("b", {}, t(`action.${action}`)));
}

// --- the middle ---------------------------------------------------------------------------------
export function centre(game, reveal, acts) {
  const { info, view } = game;
  if (reveal) return revealing(game, reveal, acts);
  if (!view) return waiting(game);
  if (view.over) return won(game, acts);
  return [
    h("p", { class: "round" }, t("table.round", { round: view.round }), info.games > 1 ? ` · ${t("table.game", { game: view.game, games: info.games })}` : ""),
    view.bid ? standing(game, view) : h("p", { class: "opening" }, view.opener === game.seat ? t("table.you_open") : t("table.opens", { name: game.names[view.opener] })),
    facts(game),
  ];
}

function standing(game, view) {
  const bid = parts(view.bid);
  const last = view.history.at(-1);
  const by = view.bidder === game.seat ? t("table.your_bid") : t("table.bid_by", { name: game.names[view.bidder] });
  return [
    h("p", { class: "standing", "data-standing": view.bid },
      h("span", { class: "unseen" }, spoken(view.bid)),
      h("span", { class: "standing-quantity", "aria-hidden": "true" }, String(bid.quantity)),
      h("span", { class: "standing-times", "aria-hidden": "true" }, "×"), die(bid.face, "huge")),
    h("p", { class: "by" }, by),
    last[1] === "pass" ? h("p", { class: "passed" }, t("they.pass", { name: game.names[last[0]] })) : null,
  ];
}

function facts(game) {
  const { view } = game;
  const told = [t("table.total", { count: view.total })];
  if (view.palafico !== null) told.push(palafico(game));
  else told.push(view.wild ? t("table.wild", { face: faces(view.wild, 2) }) : t("table.nothing_wild"));
  return h("ul", { class: "facts" }, told.map((fact, index) => h("li", { class: index && view.palafico !== null ? "fact palafico" : "fact" }, fact)));
}

function revealing(game, reveal, acts) {
  const { event } = reveal;
  const bid = parts(event.bid);
  const caller = event.caller === game.seat ? "you" : "they";
  const call = event.reason.startsWith("calza") ? "calza" : event.reason.startsWith("pass") ? "doubt" : "dudo";
  return [
    h("p", { class: "round" }, t(`${caller}.${call}`, { name: game.names[event.caller] })),
    bid ? h("p", { class: "standing counting" },
      h("span", { class: "standing-quantity", "aria-hidden": "true" }, String(reveal.counted)),
      h("span", { class: "standing-of", "aria-hidden": "true" }, t("reveal.of", { quantity: bid.quantity })), die(bid.face, "huge")) : null,
    reveal.finished ? h("p", { class: "verdict", "data-verdict": event.reason }, settled(event, game)) : null,
    button(reveal.finished ? t("reveal.go_on") : t("reveal.skip"), acts.skip, { class: "button small", id: "skip" }),
  ];
}

// The corner of the felt: a button that shows the last round again.
export function corner(game, reveal, acts) {
  if (reveal || !game.lastResult || !game.view || game.view.over) return [];
  return [button([h("span", { "aria-hidden": "true" }, "↺"), h("span", { class: "again" }, t("reveal.again"))], acts.again, { class: "button small quiet", id: "see-again" })];
}

function waiting(game) {
  const { info } = game;
  const taken = info.seats.filter((seat) => seat.player).length;
  const text = info.status === "closed" ? t("told.closed")
    : taken === info.seats.length ? t("table.begins") : t("table.waiting", { taken, seats: info.seats.length });
  return [h("p", { class: "opening" }, text), h("p", { class: "by" }, rulesName(info.rules))];
}

function won(game, acts) {
  const { info, view, seat } = game;
  const mine = view.winner === seat;
  const record = `${game.id}.${view.game}`;
  const over = info.status === "finished";
  const asked = info.rematch.includes(seat);
  return [
    mine ? trophy() : cup("★", view.winner),
    h("p", { class: "winner", "data-winner": view.winner }, mine ? t("you.won") : t("they.won", { name: game.names[view.winner] })),
    info.games > 1 ? h("p", { class: "by" }, info.wins.map((wins, place) => `${game.names[place]} ${wins}`).join(" · ")) : null,
    h("div", { class: "row" },
      over && seat !== null ? button(asked ? t("table.rematch_asked") : t("table.rematch"), acts.rematch, { class: "button strong", id: "rematch", disabled: asked }) : null,
      h("a", { class: "button", href: `#/review/${record}`, id: "review" }, t("table.review")),
      over ? h("a", { class: "button quiet", href: "#/" }, t("table.other")) : null),
    game.dice ? diceLine(game.dice, game.names) : null,
    !over ? h("p", { class: "by" }, t("table.next_game")) : null,
  ];
}
