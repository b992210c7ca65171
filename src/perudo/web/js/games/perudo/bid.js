// The bid picker: a grid of the legal bids, by face and quantity, one tap each.

import { h } from "../../dom.js";
import { die } from "./die.js";
import { t, percent } from "../../words.js";
import { spoken, parts } from "./wording.js";

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

// Calls `choose(action)` with the chosen bid; `odds` may be null.
export function bidPicker(legal, odds, choose) {
  const bids = legal.map((action) => ({ action, ...parts(action) })).filter((bid) => bid.quantity);
  if (!bids.length) return null;
  // One column per face, with its lowest bid on top.
  const faces = [...new Set(bids.map((bid) => bid.face))].sort();
  const columns = faces.map((face) => bids.filter((bid) => bid.face === face).sort((a, b) => a.quantity - b.quantity));
  const rows = Math.max(...columns.map((column) => column.length));
  const buttons = new Map();
  const first = bids.reduce((low, bid) => (bid.quantity < low.quantity || (bid.quantity === low.quantity && bid.face < low.face) ? bid : low));
  const cells = Array.from({ length: rows }, (_, row) => columns.map((bidsOfFace, column) => {
    const bid = bidsOfFace[row];
    if (!bid) return h("span", { class: "no-bid" });
    const chance = odds?.[bid.action];
    const label = chance === undefined || chance === null ? spoken(bid.action)
      : t("bid.with_odds", { bid: spoken(bid.action), chance: percent(chance) });
    const made = h("button", {
      type: "button", class: `bid ${chanceClass(chance)}`, "aria-label": label, "data-bid": bid.action,
      tabindex: bid === first ? "0" : "-1", onclick: () => choose(bid.action),
    }, h("span", { class: "bid-quantity", "aria-hidden": "true" }, String(bid.quantity)), die(bid.face, "tiny"),
    chance === undefined || chance === null ? null : h("span", { class: "bid-odds", "aria-hidden": "true" }, percent(chance)));
    buttons.set(`${row},${column}`, made);
    return made;
  }));
  return h("div", { class: `bids columns-${faces.length}`, role: "group", "aria-label": t("bid.group"), onkeydown: (event) => walk(event, buttons, rows, faces.length) }, cells);
}

function chanceClass(chance) {
  if (chance === undefined || chance === null) return "";
  return chance >= 2 / 3 ? "likely" : chance >= 1 / 3 ? "doubtful" : "unlikely";
}

// Move with the arrow keys, skipping gaps; Home and End go to the lowest and highest bid.
function walk(event, buttons, rows, columns) {
  const here = [...buttons].find(([, made]) => made === event.target);
  if (!here) return;
  let wanted = null;
  if (event.key in STEPS) {
    const [down, right] = STEPS[event.key];
    let [row, column] = here[0].split(",").map(Number);
    do {
      row += down;
      column += right;
      wanted = buttons.get(`${row},${column}`) ?? null;
    } while (!wanted && row >= 0 && row < rows && column >= 0 && column < columns);
  } else if (event.key === "Home") wanted = [...buttons.values()][0];
  else if (event.key === "End") wanted = [...buttons.values()].at(-1);
  else return;
  event.preventDefault();
  if (!wanted) return;
  here[1].tabIndex = -1;
  wanted.tabIndex = 0;
  wanted.focus();
}

// Parse typed text as an action: "3x5", "3 5", "dudo" in any language; null if unreadable.
export function typed(text, legal) {
  const words = text.trim().toLowerCase();
  const bid = /^(\d{1,2})\s*[x×* ]\s*([1-6])$/.exec(words);
  if (bid) return `${Number(bid[1])}x${bid[2]}`;
  const known = ["dudo", "calza", "pass", "doubt", "palafico", "decline"];
  return known.find((action) => words === action || words === t(`action.${action}`).toLowerCase())
    ?? legal.find((action) => spoken(action).toLowerCase() === words) ?? null;
}
