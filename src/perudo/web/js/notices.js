// Short messages at the edge of the page, which go away by themselves, and what is spoken to those who listen.

import { h } from "./dom.js";

const STAY_MS = 5000;
const KEPT_LINES = 60;

// The one place from which everything is spoken, in order.
export function say(text) {
  const live = document.getElementById("live");
  const line = document.createElement("p");
  line.textContent = text;
  live.append(line);
  while (live.childElementCount > KEPT_LINES) live.firstElementChild.remove();
}

export function notice(text) {
  const made = h("p", { class: "notice" }, text);
  document.getElementById("notices").append(made);
  say(text);
  setTimeout(() => made.remove(), STAY_MS);
}
