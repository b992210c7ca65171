// Levels of the built-in computers, weakest first. The server lists them; the catalogues name them.

import { get, post, retryingAsGuest } from "./api.js";
import { t, has } from "./words.js";
import { kept } from "./choices.js";

const COMPUTERS = 3;
let known = null;

export async function levels() {
  known ??= (await get("/api/levels")).levels;
  return known;
}

// The level chosen last, or else the second weakest.
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

// Create a table with three computers, of one level or one agent, and go to it.
export async function playNow(level, agent = null) {
  const ai = agent ? { kind: "ai", agent } : { kind: "ai", level };
  const seats = [{ kind: "open" }, ...Array.from({ length: COMPUTERS }, () => ai)];
  const { table } = await retryingAsGuest(() => post("/api/tables", { rules: kept("rules") ?? "s0_sim", seats }));
  location.hash = `#/table/${table}/sit`;
}
