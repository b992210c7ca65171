// The choice of players for the seats of a new table.

import { h } from "../dom.js";
import { t } from "../words.js";

// For experts: a field for an agent's parameters, in the syntax of the command line.
export function parameters(agents, who, change, place) {
  const agent = agents.find(({ name }) => who.split("?")[0] === `agent:${name}`);
  if (!agent?.parameters.length) return [];
  const usual = agent.parameters.map((each) => `${each.name}=${written(each.default)}`);
  const field = h("input", { type: "text", id: `parameters-${place}`, value: who.split("?")[1] ?? "", autocomplete: "off", spellcheck: "false", onchange: () => change(field.value.trim()) });
  return [h("details", { class: "parameters", open: Boolean(field.value) }, h("summary", { class: "hint" }, t("setup.parameters", { agent: agent.name })),
    h("label", { class: "field" }, h("span", { class: "unseen" }, t("setup.parameters", { agent: agent.name })), field, h("small", { class: "hint" }, t("setup.parameters_hint", { example: usual.join(",") }))))];
}

function written(value) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? String(Number(value.toPrecision(4))) : value;
}

export function seatOf(who) {
  const [, kind, name, chosen] = /^([^:]+):?([^?]*)\??(.*)$/.exec(who);
  if (kind === "level") return { kind: "ai", level: name };
  if (kind === "agent") return { kind: "ai", agent: chosen ? `${name}:${chosen}` : name };
  return { kind: kind === "me" ? "open" : kind };
}
