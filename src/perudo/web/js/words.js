// Translations: the texts of the page come from a catalogue in lang/, for the language chosen.

import { kept, keep } from "./choices.js";

export const LANGUAGES = { en: "English", es: "Español", fr: "Français" };
let catalogue = {};

export function language() {
  const wanted = kept("language") ?? (navigator.languages ?? []).map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES);
  return wanted in LANGUAGES ? wanted : "en";
}

export async function loadWords() {
  const answer = await fetch(`lang/${language()}.json`);
  catalogue = await answer.json();
  document.documentElement.lang = language();
}

export async function chooseLanguage(tag) {
  keep("language", tag);
  await loadWords();
}

// Return the text of a key, with {names} filled in. With a count, use its singular or plural form.
export function t(key, values = {}) {
  const form = "count" in values ? `${key}.${plural(values.count)}` : key;
  const text = catalogue[form] ?? catalogue[key];
  if (text === undefined) throw new Error(`no words for ${form}`);
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function has(key) {
  return key in catalogue;
}

// Explain a refusal by its code; for unknown codes, return the server's message.
export function reason(error) {
  return has(`error.${error.code}`) ? t(`error.${error.code}`, { message: error.message }) : error.message;
}

function plural(count) {
  return new Intl.PluralRules(language()).select(count) === "one" ? "one" : "other";
}

export function percent(share, digits = 0) {
  const shown = new Intl.NumberFormat(language(), { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (share > 0 && share < 0.005 && digits === 0) return `<${shown.format(0.01)}`;
  if (share < 1 && share > 0.995 && digits === 0) return `>${shown.format(0.99)}`;
  return shown.format(share);
}

export function number(value, digits = 0) {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(value);
}

export function when(seconds) {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(seconds * 1000));
}

// Translate the level in a computer's name such as "strong (B)".
export function playerName(name) {
  const found = /^(\w+) \(([A-J])\)(.*)$/.exec(name ?? "");
  return found && has(`level.${found[1]}`) ? t("seat.computer", { level: t(`level.${found[1]}`), seat: found[2] }) + found[3] : name ?? "";
}

// The label of an empty seat.
export function emptyName(seat) {
  return seat.kind === "invited" ? t("seat.invited") : t("seat.free");
}
