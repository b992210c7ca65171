// The link to a table, to copy or to scan.

import { h, button } from "../dom.js";
import { get } from "../api.js";
import { t } from "../words.js";
import { notice } from "../notices.js";

export function invitation({ id, mayInvite }) {
  const field = h("input", { type: "text", readonly: true, id: `link-${id}`, value: `${location.origin}/#/table/${id}` });
  const label = h("label", { for: field.id }, mayInvite ? t("invite.link") : t("invite.watch"));
  // The code has another address for who may invite: browsers keep what came from the one before.
  const code = h("img", { class: "qr", alt: t("invite.code"), width: "160", height: "160", loading: "lazy", src: `/api/tables/${id}/invitation.svg${mayInvite ? "?seated" : ""}` });
  // The service knows the key, and by which address others in a local network reach it.
  get(`/api/tables/${id}/invitation`).then(({ link, invites }) => {
    field.value = link;
    label.textContent = invites ? t("invite.link") : t("invite.watch");
  }, () => notice(t("invite.no_link")));
  return h("div", { class: "invitation" },
    h("div", {}, label, field,
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
