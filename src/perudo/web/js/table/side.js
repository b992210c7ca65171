// The side panel of a table: the round's bidding, the story of the game, talk and the menu.

import { h, button, show, tick } from "../dom.js";
import { t, has } from "../words.js";
import { bidShort } from "../games/perudo/felt.js";
import { oddsSwitch } from "../games/perudo/acting.js";
import { kept, keep } from "../choices.js";
import { rulesName } from "../games/perudo/rules.js";

const REACTIONS = ["👍", "👎", "😀", "😮", "😢", "🤔", "🎲", "👏"];
const PHRASES = ["hello", "good_luck", "well_played", "thank_you", "oops", "you_are_bluffing", "trust_me", "hurry_up", "good_game", "bye"];

export class Side {
  constructor(game, acts) {
    this.game = game;
    this.acts = acts;
    this.bidding = h("ol", { class: "bidding" });
    this.story = h("ol", { class: "story", id: "story", tabindex: "0", "aria-label": t("side.story") });
    this.earlier = button(t("side.earlier"), acts.earlier, { class: "button small quiet", id: "earlier" });
    this.talk = this.#talk();
    this.menu = h("div", { class: "menu" });
    this.element = h("aside", { class: "side", "aria-label": t("side.label") },
      this.round = h("section", {}, h("h2", {}, t("side.bidding")), this.bidding),
      h("details", { class: "fold", open: matchMedia("(min-width: 62rem)").matches }, h("summary", {}, t("side.story")), this.earlier, this.story),
      h("details", { class: "fold", id: "talk" }, h("summary", {}, t("side.talk")), this.talk),
      this.#fold());
  }

  #fold() {
    const fold = h("details", { class: "fold", id: "menu" }, h("summary", {}, t("side.menu")), this.menu);
    // Fetch the link and its code when the menu opens, since they depend on whether the visitor has a seat.
    fold.addEventListener("toggle", () => fold.open && fold.replaceChildren(fold.firstElementChild, this.menu, this.acts.invitation()));
    return fold;
  }

  draw(reveal) {
    const { game } = this;
    const { view, info, names } = game;
    // During a reveal, show the bidding of the round being settled, not of the next.
    const history = reveal ? game.saidBefore(reveal.event) : view?.history ?? [];
    show(this.bidding, history.map(([seat, action]) =>
      h("li", { class: seat === game.seat ? "mine" : "" }, h("span", { class: "said-by" }, seat === game.seat ? t("seat.you") : names[seat]), h("span", { class: "said" }, bidShort(action)))));
    if (!history.length) show(this.bidding, h("li", { class: "nothing" }, t("side.no_bids")));
    this.round.hidden = !view || (view.over && !reveal);
    this.#tell();
    this.talk.hidden = game.seat === null;
    this.text.hidden = !info.private;
    show(this.menu, this.#menu());
  }

  // Append only new entries, so that a screen reader keeps its place in the list; earlier ones need a new list.
  #tell() {
    const told = this.game.transcript, shown = this.story.childElementCount;
    if (told[0]?.n !== this.first || (shown && told[shown - 1]?.n !== this.last)) this.story.replaceChildren();
    this.first = told[0]?.n;
    this.last = told.at(-1)?.n;
    this.earlier.hidden = this.game.missing === null;
    for (const entry of told.slice(this.story.childElementCount)) this.story.append(h("li", { "data-kind": entry.kind }, entry.text));
    this.story.scrollTop = this.story.scrollHeight;
  }

  #talk() {
    this.text = h("form", { class: "typing", onsubmit: (event) => {
      event.preventDefault();
      const field = event.target.elements.words;
      if (field.value.trim()) this.acts.send({ type: "say", text: field.value.trim() });
      field.value = "";
    } }, h("label", { for: "words" }, t("talk.text")), h("input", { id: "words", name: "words", maxlength: "200", autocomplete: "off" }), h("button", { class: "button small" }, t("typing.say")));
    return h("div", { class: "talk" },
      h("div", { class: "reactions" }, REACTIONS.map((face, place) => button(face, () => this.acts.send({ type: "say", reaction: face }), { class: "reaction", "aria-label": t(`reaction.${place}`) }))),
      h("div", { class: "phrases" }, PHRASES.map((phrase) => button(t(`phrase.${phrase}`), () => this.acts.send({ type: "say", phrase }), { class: "button small quiet" }))),
      this.text);
  }

  // Players of a rated game ask for a pause together; at other tables the creator decides.
  #pause(info, seat) {
    const asked = info.pausing?.includes(seat) ?? false;
    const words = info.paused ? t("menu.go_on") : t(asked ? "menu.no_pause" : "menu.pause");
    return button(words, () => this.acts.send({ type: "pause", on: !info.paused && !asked }), { class: "button small quiet", id: "pause" });
  }

  // The command that checks this game's dice with what this browser noted.
  #noted() {
    const { id, info, notes } = this.game;
    const note = notes.of(info.game);
    if (!note?.seed || note.late) return null;
    return h("p", { class: "hint noted", id: "noted" }, t("menu.noted"), " ",
      h("code", {}, `perudo verify ${id}.${info.game}.jsonl --anchor ${note.anchor} --seed ${note.seed}`));
  }

  #menu() {
    const { game, acts } = this;
    const { info, seat, view } = game;
    const preset = info.rules.split(":")[0];
    return [
      h("p", { class: "hint" }, t("menu.rules", { rules: rulesName(info.rules) }),
        has(`preset.${preset}.summary`) ? `: ${t(`preset.${preset}.summary`)}` : ""),
      h("p", { class: "hint" }, info.timer ? t("menu.timer", { seconds: info.timer }) : t("menu.no_timer"), info.watching ? ` · ${t("menu.watching", { count: info.watching })}` : ""),
      seat === null ? null : oddsSwitch(game, kept("odds") ?? false, acts.odds),
      seat !== null && info.options.calza && info.options.calza_who !== "turn_only" ? tick(t("menu.no_calza"), acts.autoDecline(), acts.auto, { id: "auto-decline" }) : null,
      tick(t("settings.sound"), kept("sound") ?? false, (on) => keep("sound", on), { id: "sound" }),
      info.pausing ? h("p", { class: "hint", id: "pausing" }, t("menu.pause_wanted", { names: info.pausing.map((each) => game.names[each]).join(", ") })) : null,
      h("div", { class: "row" },
        (info.rated ? seat !== null : game.creator) && view && !view.over ? this.#pause(info, seat) : null,
        seat === null ? null : button(t("menu.leave"), acts.stand, { class: "button small quiet", id: "stand" })),
      this.#noted(),
      game.creator ? h("div", { class: "row" }, info.seats.map((each, place) => (each.player && place !== seat
        ? button(t("menu.kick", { name: game.names[place] }), () => acts.send({ type: "kick", seat: place }), { class: "button small quiet", "data-kick": place }) : null))) : null,
    ];
  }
}
