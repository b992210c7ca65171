// Short notices that disappear by themselves, and announcements for screen readers.

import { h } from "./dom.js";

const STAY_MS = 5000;
const KEPT_LINES = 60;

// Announce a text. All announcements share one live region, so that they keep their order.
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
