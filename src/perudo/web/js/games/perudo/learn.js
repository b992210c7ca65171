// A guided first round: a prepared example of two minutes in which the learner decides.

import { h, button, link } from "../../dom.js";
import { die, cup } from "./die.js";
import { t } from "../../words.js";
import { spoken } from "./wording.js";
import { bidPicker } from "./bid.js";
import { bidShort } from "./felt.js";
import { say } from "../../notices.js";
import { levels, playNow } from "../../levels.js";

const OWN = "12556";
const OTHERS = ["Ana", "Bruno"];
// The fixed scenes of the example; `ask` are the answers offered, `good` is the right one.
const SCENES = [
  { key: "dice" },
  { key: "wild" },
  { key: "opening", said: [["Ana", "3x5"]] },
  { key: "raise", said: [["Ana", "3x5"]], ask: ["4x5", "4x6", "5x5"], good: "4x5" },
  { key: "rise", said: [["Ana", "3x5"], ["you", "4x5"], ["Bruno", "5x6"], ["Ana", "9x6"]] },
  { key: "doubt", said: [["Bruno", "5x6"], ["Ana", "9x6"]], ask: ["dudo", "10x6"], good: "dudo" },
  { key: "reveal", said: [["Ana", "9x6"], ["you", "dudo"]], hands: [["you", OWN], ["Ana", "34666"], ["Bruno", "12244"]] },
  { key: "more" },
];

export function view() {
  let scene = 0;
  const text = h("p", { class: "lead", tabindex: "-1" });
  const board = h("div", { class: "felt lesson" });
  const answers = h("div", { class: "answers" });
  const progress = h("p", { class: "hint" });
  const name = (who) => (who === "you" ? t("seat.you") : who);
  const go = (to, words) => {
    scene = to;
    draw(words);
    text.focus();
  };
  const draw = (words = "") => {
    const { key, said = [], ask, good, hands } = SCENES[scene];
    text.textContent = `${words} ${t(`learn.${key}`)}`.trim();
    say(text.textContent);
    progress.textContent = t("learn.step", { step: scene + 1, steps: SCENES.length });
    board.replaceChildren(
      hands ? "" : h("div", { class: "lesson-seats" }, OTHERS.map((who, tone) => h("div", { class: said.at(-1)?.[0] === who ? "seat turn" : "seat" }, cup("5", tone + 1), h("span", { class: "seat-name" }, who)))),
      h("p", { class: "review-bidding" }, said.map(([who, action]) => h("span", { class: "chip" }, `${name(who)} `, bidShort(action)))),
      hands ? h("ul", { class: "review-seats" }, hands.map(([who, dice]) => h("li", {}, h("span", { class: "seat-name" }, name(who)),
        h("span", { class: "review-hand", role: "img", "aria-label": [...dice].join(", ") }, [...dice].map((face) => die(Number(face), face === "6" || face === "1" ? "lit" : "dim"))))))
        : h("div", { class: "hand-dice", role: "img", "aria-label": t("told.own", { dice: [...OWN].join(", ") }) }, [...OWN].map((face) => die(Number(face), key === "wild" && face === "1" ? "lit" : ""))));
    const answer = (action) => (action === good ? go(scene + 1, t("learn.right")) : say(text.textContent = t(`learn.${key}.wrong`, { action: spoken(action) })));
    answers.replaceChildren(...(ask ? [
      h("div", { class: "words" }, ask.filter((action) => !/^\d/.test(action)).map((action) => button(t(`action.${action}`), () => answer(action), { class: "word dudo", "data-word": action }))),
      bidPicker(ask, null, answer),
    ] : [h("div", { class: "row" },
      scene < SCENES.length - 1 ? button(t("learn.next"), () => go(scene + 1), { class: "button strong", id: "learn-next" })
        : button(t("front.play"), async () => playNow((await levels())[0].name), { class: "button strong great", id: "learn-play" }),
      scene ? button(t("learn.back"), () => go(scene - 1), { class: "button quiet" }) : null)]));
  };
  draw();
  return h("div", { class: "page learn" }, h("h1", {}, t("learn.title")), progress, board, text, answers,
    h("p", { class: "hint" }, link(t("nav.home"), "#/")));
}
