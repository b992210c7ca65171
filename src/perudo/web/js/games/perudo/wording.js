// Bids and dice in words.

import { t } from "../../words.js";

// Parse a bid such as "3x5" into quantity and face; null for calls such as dudo.
export function parts(action) {
  const found = /^(\d+)x(\d)$/.exec(action ?? "");
  return found && { quantity: Number(found[1]), face: Number(found[2]) };
}

export function faces(face, count) {
  return t(`face.${face}`, { count });
}

// An action in words: "3 fives", "Dudo".
export function spoken(action) {
  const bid = parts(action);
  return bid ? t("bid.spoken", { quantity: bid.quantity, face: faces(bid.face, bid.quantity) }) : t(`action.${action}`);
}

export function dice(text) {
  return [...(text ?? "")].join(", ");
}
