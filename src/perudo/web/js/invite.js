// The link to a table, to copy or to scan.

import { h, button } from "./dom.js";
import { get } from "./api.js";
import { t } from "./words.js";
import { notice } from "./notices.js";

export function invitation(table) {
  const field = h("input", { type: "text", readonly: true, id: `link-${table}`, value: `${location.origin}/#/table/${table}/sit` });
  const code = h("img", { class: "qr", alt: t("invite.code"), width: "160", height: "160", loading: "lazy", src: `/api/tables/${table}/invitation.svg` });
  // The service knows by which address others in a local network reach it.
  get(`/api/tables/${table}/invitation`).then((found) => { field.value = found.link; }, () => notice(t("invite.no_link")));
  return h("div", { class: "invitation" },
    h("div", {}, h("label", { for: `link-${table}` }, t("invite.link")), field,
      button(t("invite.copy"), () => copyText(field.value), { class: "button small" })),
    code);
}

export async function copyText(text) {
  // The clipboard's own interface exists in secure contexts only; a local network is none.
  if (navigator.clipboard) await navigator.clipboard.writeText(text);
  else {
    const field = h("textarea", { class: "unseen", "aria-hidden": "true" }, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  notice(t("invite.copied"));
}
