// The front page, where one click starts a game.

import { h, link } from "../dom.js";
import { die, cup } from "../games/perudo/die.js";
import { t } from "../words.js";
import { keep } from "../choices.js";
import { levels, usual, levelName, levelSummary, playNow } from "../levels.js";

function levelChoice(all, chosen, onchange) {
  return h("fieldset", { class: "levels" }, h("legend", {}, t("front.level")),
    all.map((level) => {
      const { name } = level;
      const box = h("input", { type: "radio", name: "level", value: name, id: `level-${name}`, onchange: () => onchange(name) });
      box.checked = name === chosen;
      return h("label", { class: "level", for: `level-${name}` }, box, h("b", {}, levelName(level)), h("small", {}, levelSummary(level)));
    }));
}

export async function view() {
  const all = await levels();
  let level = usual(all);
  const start = h("button", { type: "button", class: "button strong great", id: "play-now", onclick: async () => {
    start.disabled = true;
    try {
      await playNow(level);
    } finally {
      start.disabled = false;
    }
  } }, t("front.play"));
  return h("div", { class: "front" },
    h("section", { class: "hero" },
      h("div", { class: "hero-words" },
        h("h1", {}, t("front.title")), h("p", { class: "lead" }, t("front.lead")),
        levelChoice(all, level, (chosen) => { level = chosen; keep("level", chosen); }),
        h("div", { class: "row" }, start,
          link(t("front.friends"), "#/new", { class: "button great", id: "with-friends" })),
        h("p", { class: "hint" }, link(t("front.learn"), "#/learn"), " · ", link(t("front.experts"), "#/new"))),
      picture()),
    h("section", { class: "three" },
      [["front.how1", "front.how1.text"], ["front.how2", "front.how2.text"], ["front.how3", "front.how3.text"]].map(([title, text]) =>
        h("div", {}, h("h2", {}, t(title)), h("p", {}, t(text))))));
}

function picture() {
  return h("div", { class: "picture", "aria-hidden": "true" },
    h("div", { class: "picture-cups" }, cup("5", 1), cup("4", 2), cup("5", 3)),
    h("p", { class: "standing" }, h("span", { class: "standing-quantity" }, "6"), h("span", { class: "standing-times" }, "×"), die(5, "huge")),
    h("div", { class: "hand-dice" }, [1, 2, 5, 5, 6].map((face) => die(face))));
}
