// The outcome of checking the dice, in words.

import { h } from "../../dom.js";
import { t } from "../../words.js";
import { checkDice, Unfair } from "./fairness.js";

// Return the outcome of a check: {rounds, hands, complete}, {problem}, or null without commitments.
export function checked(events, options, known = {}) {
  try {
    return checkDice(events, options, known);
  } catch (error) {
    if (error instanceof Unfair) return { problem: error };
    throw error;
  }
}

export function diceWords(found, names) {
  if (!found) return t("dice.unchecked");
  if (found.problem) {
    const { code, values } = found.problem;
    return t("dice.unfair", { what: t(`dice.unfair.${code}`, { ...values, name: names[values.seat] }) });
  }
  if (!found.complete) return t("dice.checked");
  const all = t("dice.checked_all", { count: found.hands, rounds: found.rounds });
  return found.own === undefined ? all : `${all} ${t(found.own ? "dice.own" : "dice.not_own")}`;
}

export function diceLine(found, names) {
  const state = found?.problem ? "unfair" : found ? "fair" : "unknown";
  return h("p", { class: `checked ${state}`, "data-checked": state, "data-rounds": found?.rounds, "data-hands": found?.hands, "data-own": found?.own?.toString() },
    state === "unknown" ? null : h("span", { "aria-hidden": "true" }, state === "fair" ? "✓ " : "✗ "), diceWords(found, names));
}
