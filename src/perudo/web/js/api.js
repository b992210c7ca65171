// The server's HTTP API. A visitor without a session becomes a guest when one is needed.

import { kept, keep } from "./choices.js";

export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer, text;
  try {
    answer = await fetch(path, options);
    text = await answer.text();
  } catch (error) {
    throw new Refusal("unreachable", error.message);
  }
  const content = text ? JSON.parse(text) : {};
  if (!answer.ok) throw new Refusal(content.code ?? `http_${answer.status}`, content.message ?? answer.statusText);
  return content;
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);

let visitor = null;
let arriving = null;

export function whoIsHere() {
  return visitor;
}

export function forgetVisitor() {
  visitor = null;
}

export function becomeVisitor(you) {
  visitor = you;
  keep(VISITED, Boolean(you));
}

// The setting that records if this browser has a session; without one, do not ask the server for it.
const VISITED = "visited";

// Return the visitor; null if there is no session and `asGuest` is false.
export async function me(asGuest = true) {
  if (visitor) return visitor;
  arriving ??= arrive(asGuest).finally(() => {
    arriving = null;
  });
  return (await arriving) ?? (asGuest ? me(true) : null);
}

async function arrive(asGuest) {
  if (kept(VISITED)) {
    try {
      visitor = (await get("/api/me")).you;
    } catch (error) {
      if (error.code !== "no_session") throw error;
    }
  }
  if (!visitor && asGuest) visitor = (await post("/api/guests", {})).you;
  keep(VISITED, Boolean(visitor));
  return visitor;
}

export async function retryingAsGuest(work) {
  await me();
  try {
    return await work();
  } catch (error) {
    if (error.code !== "no_session") throw error;
    visitor = null; // the session has ended, so become a guest
    await me();
    return work();
  }
}
