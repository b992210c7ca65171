// A line chart with an interval band. The caption has the latest numbers, for screen readers too.

import { h, svg } from "./dom.js";
import { number } from "./words.js";

const WIDE = 600, HIGH = 180, EDGE = 6;

// `points` are [time in seconds, value, low, high].
export function curve(points, label, whenText) {
  const lows = Math.min(...points.map((point) => point[2]));
  const highs = Math.max(...points.map((point) => point[3]));
  const x = (place) => EDGE + (points.length < 2 ? 0.5 : place / (points.length - 1)) * (WIDE - 2 * EDGE);
  const y = (value) => HIGH - EDGE - ((value - lows) / Math.max(highs - lows, 1)) * (HIGH - 2 * EDGE);
  const line = points.map((point, place) => `${x(place)},${y(point[1])}`).join(" ");
  const band = [...points.map((point, place) => `${x(place)},${y(point[3])}`), ...points.map((point, place) => `${x(place)},${y(point[2])}`).reverse()].join(" ");
  const last = points.at(-1);
  return h("figure", { class: "curve" },
    svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label },
      [lows, highs].map((value) => svg("text", { x: EDGE + 4, y: y(value) + (value === lows ? -5 : 15), class: "scale" }, number(value))),
      svg("polygon", { points: band, class: "band" }), svg("polyline", { points: line, class: "line" }), svg("circle", { cx: x(points.length - 1), cy: y(last[1]), r: 4, class: "dot" })),
    h("figcaption", { class: "hint" }, `${whenText(last[0])}: ${number(last[1])} (${number(last[2])} – ${number(last[3])})`));
}
