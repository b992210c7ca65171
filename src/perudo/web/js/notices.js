// Short messages at the edge of the page, which go away by themselves.

import { h } from "./dom.js";

const STAY_MS = 5000;

export function notice(text) {
  const made = h("p", { class: "notice" }, text);
  document.getElementById("notices").append(made);
  setTimeout(() => made.remove(), STAY_MS);
}
