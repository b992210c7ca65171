// The account page: registration, login, recovery and bots.

import { h, button } from "../dom.js";
import { get, post, me, becomeVisitor } from "../api.js";
import { t, reason } from "../words.js";

function form(title, id, fields, submit, work, folded = false) {
  const problem = h("p", { class: "problem", role: "alert" });
  const [frame, head] = folded ? [h("details", { class: "fold" }), h("summary", {}, title)] : [h("section", { class: "card-like" }), h("h2", {}, title)];
  frame.append(head, h("form", { id, onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      await work(Object.fromEntries(new FormData(event.target)), event.target);
    } catch (error) {
      problem.textContent = reason(error);
    }
  } }, fields.map(([name, label, type, autocomplete]) => h("label", { class: "field" }, h("span", {}, label), h("input", { name, type, autocomplete, required: true, maxlength: "200", id: `${id}-${name}` }))),
  problem, h("button", { class: "button strong" }, submit)));
  return frame;
}

export async function view() {
  const you = await me(false);
  const page = h("div", { class: "page narrow" });
  const again = async () => page.replaceWith(await view());
  const told = h("pre", { class: "secret", role: "status" });
  const name = ["name", t("account.name"), "text", "username"];
  const secret = (autocomplete) => ["password", t("account.password"), "password", autocomplete];
  page.append(h("h1", {}, t("account.title")),
    h("p", {}, you ? t(`account.is_${you.kind}`, { name: you.name }) : t("account.nobody")),
    you ? h("p", {}, h("a", { href: `#/player/${you.id}` }, t("account.page"))) : "", told);
  if (you?.kind === "account") {
    const bots = (await get("/api/bots")).bots;
    page.append(
      h("section", {}, h("h2", {}, t("account.bots")), h("ul", {}, bots.map((bot) => h("li", {}, h("a", { href: `#/player/${bot.id}` }, bot.name))))),
      form(t("account.new_bot"), "new-bot", [["name", t("account.name"), "text", "off"]], t("account.make"), async (given) => {
        const { token } = await post("/api/bots", { name: given.name });
        told.textContent = `${t("account.token")}\n${token}`;
      }),
      button(t("account.leave"), async () => {
        await post("/api/logout");
        becomeVisitor(null);
        await again();
      }, { class: "button", id: "log-out" }));
    return page;
  }
  page.append(
    form(t("account.register"), "register", [name, secret("new-password")], t("account.keep"), async (given) => {
      await me();
      const made = await post("/api/accounts", { name: given.name, password: given.password });
      becomeVisitor(made.you);
      const fresh = await view();
      fresh.querySelector(".secret").textContent = `${t("account.codes")}\n${made.recovery_codes.join("\n")}`;
      page.replaceWith(fresh);
    }),
    form(t("account.log_in"), "log-in", [name, secret("current-password")], t("account.log_in"), async (given) => {
      becomeVisitor((await post("/api/login", { name: given.name, password: given.password })).you);
      await again();
    }),
    form(t("account.recover"), "recover", [name, ["code", t("account.code"), "text", "off"], secret("new-password")], t("account.recover"), async (given) => {
      const { recovery_codes: codes } = await post("/api/recover", given);
      told.textContent = `${t("account.codes")}\n${codes.join("\n")}`;
    }, true));
  return page;
}
