// Retries of a decision: the game goes on from there, with a computer in the other seats.

import { h, button } from "../../dom.js";
import { post } from "../../api.js";
import { t } from "../../words.js";
import { diceRow } from "./die.js";
import { bidPicker } from "./bid.js";
import { bidShort } from "./felt.js";
import { sentence } from "./speech.js";
import { say } from "../../notices.js";

// `there` repeats a request after starting a review again that the server has dropped.
export function retryPanel(review, n, there) {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const story = h("ol", { class: "story", tabindex: "0", "aria-label": t("side.story") });
  const place = h("div", {});
  const element = h("div", { class: "retrying" }, h("h2", {}, t("retry.title")), place, story);
  let told = 0;
  let view = null;

  const play = async (actions) => {
    view = await there(() => post(`/api/reviews/${review.id}/retries`, { n, actions, seed }));
    const game = { names: review.players, seat: view.seat, counts: view.counts, palafico: view.palafico, wild: view.wild };
    for (const event of view.events.slice(told)) {
      const text = sentence(event, game);
      if (text === null) continue;
      story.append(h("li", { "data-kind": event.kind }, text));
      say(text);
    }
    told = view.events.length;
    story.scrollTop = story.scrollHeight;
    draw();
  };
  const act = (action) => play([...view.actions, action]);
  const draw = () => {
    place.replaceChildren(
      h("p", { class: "hint" }, t("retry.others", { agent: view.others })),
      view.over ? h("p", { class: "winner", "data-winner": view.winner }, view.winner === view.seat ? t("you.won") : t("they.won", { name: review.players[view.winner] }))
        : h("div", { class: "retry-now" },
          h("p", {}, diceRow(view.dice, "retry-dice"), view.bid ? [" ", t("retry.standing"), " ", bidShort(view.bid)] : ` ${t("table.you_open")}`),
          h("div", { class: "words" }, view.legal.filter((action) => !/^\d/.test(action)).map((action) => button(t(`action.${action}`), () => act(action), { class: "button", "data-word": action }))),
          h("div", { class: "picker" }, bidPicker(view.legal, view.odds, act) ?? [])));
  };
  play([]);
  return element;
}
