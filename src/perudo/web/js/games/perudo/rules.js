// The rules in plain words: names of presets, and sentences for their options.

import { h } from "../../dom.js";
import { t, has } from "../../words.js";

// The options that matter to players; the catalogues have a sentence for each value.
const TOLD = ["wild", "ace_rank", "palafico", "calza", "enable_pass", "raise_rule", "loss", "single_round"];

// The readable name of rules such as "common:dice=2": the preset and the changed options.
export function rulesName(text) {
  const [preset, changed] = text.split(/:(.*)/);
  const name = has(`preset.${preset}`) ? t(`preset.${preset}`) : preset;
  return changed ? `${name} (${changed})` : name;
}

export function ruleSentences(options) {
  return TOLD.filter((name) => name in options).map((name) => {
    if (name === "calza" && options.calza) return t(`rule.calza_who.${options.calza_who}`);
    return t(`rule.${name}.${options[name]}`);
  });
}

export function ruleList(preset, base) {
  const mine = ruleSentences(preset.options);
  const usual = new Set(base ? ruleSentences(base.options) : []);
  return h("ul", { class: "rule-list" }, mine.map((text) => h("li", { class: base && !usual.has(text) ? "differs" : "" }, text)));
}
