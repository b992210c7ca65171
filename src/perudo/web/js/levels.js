// The strengths of computers, weakest first: which there are the service says, what they are called the catalogues.

import { get } from "./api.js";
import { t, has } from "./words.js";
import { kept } from "./choices.js";

let known = null;

export async function levels() {
  known ??= (await get("/api/levels")).levels;
  return known;
}

// The one that was chosen last, else the weakest but one.
export function usual(all) {
  const chosen = kept("level");
  return (all.find(({ name }) => name === chosen) ?? all[Math.min(1, all.length - 1)]).name;
}

export function levelName({ name }) {
  return has(`level.${name}`) ? t(`level.${name}`) : name;
}

export function levelSummary({ name, summary }) {
  return has(`level.${name}.summary`) ? t(`level.${name}.summary`) : summary;
}
