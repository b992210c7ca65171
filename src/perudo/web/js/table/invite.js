// The link to a table, as text to copy and as a QR code.

import { h, button } from "../dom.js";
import { get } from "../api.js";
import { t } from "../words.js";
import { notice } from "../notices.js";

export function invitation({ id, mayInvite }) {
  const field = h("input", { type: "text", readonly: true, id: `link-${id}`, value: `${location.origin}/#/table/${id}` });
  const label = h("label", { for: field.id }, mayInvite ? t("invite.link") : t("invite.watch"));
  // Players who may invite need another address, because browsers cache the code.
  const code = h("img", { class: "qr", alt: t("invite.code"), width: "160", height: "160", loading: "lazy", src: `/api/tables/${id}/invitation.svg${mayInvite ? "?seated" : ""}` });
  // Only the server knows the key, and its address in a local network.
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
  // The clipboard API exists only in secure contexts, which a local network is not.
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
