// Drawings of dice and cups.

import { h, svg } from "../../dom.js";

const LOW = 27, MID = 50, HIGH = 73;
const PIPS = {
  1: [[MID, MID]],
  2: [[LOW, HIGH], [HIGH, LOW]],
  3: [[LOW, HIGH], [MID, MID], [HIGH, LOW]],
  4: [[LOW, LOW], [LOW, HIGH], [HIGH, LOW], [HIGH, HIGH]],
  5: [[LOW, LOW], [LOW, HIGH], [MID, MID], [HIGH, LOW], [HIGH, HIGH]],
  6: [[LOW, LOW], [LOW, MID], [LOW, HIGH], [HIGH, LOW], [HIGH, MID], [HIGH, HIGH]],
};

// A die; face 0 is hidden. The text beside it names the dice, so screen readers skip the drawing.
export function die(face, kind = "") {
  const pips = (PIPS[face] ?? []).map(([x, y]) =>
    svg("circle", { cx: x, cy: y, r: face === 1 ? 15 : 9.5, class: face === 1 ? "pip ace" : "pip" }));
  return svg("svg", { viewBox: "0 0 100 100", class: `die ${face ? "" : "unknown"} ${kind}`, "aria-hidden": "true", "data-face": face },
    svg("rect", { x: 4, y: 4, width: 92, height: 92, rx: 20, class: "die-body" }), pips);
}

export function diceRow(text, kind = "") {
  return h("span", { class: `dice ${kind}` }, [...(text ?? "")].map((face) => die(Number(face))));
}

export function trophy() {
  return svg("svg", { viewBox: "0 0 100 100", class: "trophy", "aria-hidden": "true" },
    svg("path", { d: "M28 20 H8 Q8 48 34 52 M72 20 H92 Q92 48 66 52", class: "trophy-ears" }),
    svg("path", { d: "M26 10 H74 Q74 56 56 66 V78 H70 Q74 78 74 90 H26 Q26 78 30 78 H44 V66 Q26 56 26 10 Z", class: "trophy-body" }),
    svg("path", { d: "M36 18 Q37 44 46 56", class: "trophy-shine" }));
}

// A cup upside down on the table, with the number of dice under it.
export function cup(count, tone) {
  return svg("svg", { viewBox: "0 0 100 92", class: `cup tone-${tone}`, "aria-hidden": "true" },
    svg("ellipse", { cx: 50, cy: 84, rx: 46, ry: 7, class: "cup-shadow" }),
    svg("path", { d: "M27 10 Q50 3 73 10 L88 80 Q50 90 12 80 Z", class: "cup-body" }),
    svg("path", { d: "M33 14 L21 79 Q27 81.5 34 82.6 L41 14.5 Z", class: "cup-shine" }),
    svg("path", { d: "M66 14.5 L70 82.2 Q80 81.6 88 80 L73 10 Z", class: "cup-shade" }),
    svg("path", { d: "M27 10 Q50 17 73 10 Q50 3 27 10 Z", class: "cup-top" }),
    svg("path", { d: "M13.5 73 Q50 83 86.5 73 L88 80 Q50 90 12 80 Z", class: "cup-rim" }),
    svg("text", { x: 50, y: 58, class: "cup-count" }, String(count)));
}
