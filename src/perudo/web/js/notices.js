// Short messages at the edge of the page, which go away by themselves; spoken where everything is.

import { h } from "./dom.js";
import { say } from "./speech.js";

const STAY_MS = 5000;

export function notice(text) {
  const made = h("p", { class: "notice" }, text);
  document.getElementById("notices").append(made);
  say(text);
  setTimeout(() => made.remove(), STAY_MS);
}
