// The connection to the server: one WebSocket for all tables, which reconnects when it breaks.

import { me, forgetVisitor } from "./api.js";

const SOONEST_MS = 250, LATEST_MS = 4000;
const PONG_MS = 1500;
const NO_SESSION = 4001;

class Line extends EventTarget {
  #socket = null;
  #wait = SOONEST_MS;
  #timer = null;
  #refs = 0;
  #asked = new Map(); // unanswered messages by their ref
  #followed = new Map(); // table -> its follower
  #pong = null;
  #name = Math.random().toString(36).slice(2, 10);
  up = false;

  constructor() {
    super();
    const awake = () => document.visibilityState === "visible" && this.#lookAlive();
    document.addEventListener("visibilitychange", awake);
    addEventListener("pageshow", awake);
    addEventListener("online", awake);
  }

  // Follow a table: `follower.last()` returns its last event's number, `follower.take(message)` gets more.
  follow(table, follower) {
    this.#followed.set(table, follower);
    if (this.up) this.#open(table, follower);
    else this.#connect();
  }

  // Stop following a table, unless a newer view of it has followed it meanwhile.
  leave(table, follower) {
    if (this.#followed.get(table) !== follower) return;
    this.#followed.delete(table);
    if (this.up) this.#send({ type: "shut", table });
  }

  // Send a message and wait for its answer. If the connection breaks before, it is sent again.
  ask(message) {
    const ref = `${this.#name}.${++this.#refs}`;
    const named = { ...message, [message.type === "action" ? "move" : "ref"]: ref };
    return new Promise((resolve, reject) => {
      this.#asked.set(ref, { message: named, resolve, reject });
      if (this.up) this.#send(named);
      else this.#connect();
    });
  }

  reopen(table) {
    const follower = this.#followed.get(table);
    if (this.up && follower) this.#open(table, follower);
  }

  async #connect() {
    clearTimeout(this.#timer);
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    try {
      await me();
    } catch {
      this.#later(); // the server is unreachable: try again later
      return;
    }
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws?style=page`);
    this.#socket = socket;
    socket.onmessage = (event) => socket === this.#socket && this.#take(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (socket !== this.#socket) return;
      if (event.code === NO_SESSION) forgetVisitor();
      this.#broken();
    };
  }

  #broken() {
    this.#socket = null;
    if (this.up) {
      this.up = false;
      this.dispatchEvent(new Event("down"));
    }
    this.#later();
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), this.#wait);
    this.#wait = Math.min(this.#wait * 1.6, LATEST_MS);
  }

  // After the phone was locked or the network changed, test the connection at once.
  #lookAlive() {
    this.#wait = SOONEST_MS;
    if (!this.#followed.size) return;
    if (!this.up) {
      this.#connect();
      return;
    }
    clearTimeout(this.#pong);
    this.#send({ type: "ping" });
    this.#pong = setTimeout(() => {
      const old = this.#socket;
      this.#broken();
      old?.close();
      this.#connect();
    }, PONG_MS);
  }

  #take(message) {
    if (message.type === "welcome") {
      this.up = true;
      this.#wait = SOONEST_MS;
      this.dispatchEvent(new CustomEvent("up", { detail: message }));
      for (const [table, follower] of this.#followed) this.#open(table, follower);
      for (const { message: again } of this.#asked.values()) this.#send(again);
    } else if (message.type === "pong") {
      clearTimeout(this.#pong);
    } else if (message.type === "table" || message.type === "events") {
      this.#followed.get(message.table)?.take(message);
    } else if (message.type === "earlier") {
      this.#followed.get(message.table)?.takeEarlier(message);
    } else if (message.type === "ack" || message.type === "error") {
      const asked = this.#asked.get(message.ref);
      this.#asked.delete(message.ref);
      if (message.type === "ack") asked?.resolve(message);
      else if (asked) asked.reject(Object.assign(new Error(message.message), message));
      else this.#followed.get(message.table)?.refused?.(message);
    } else if (message.type === "matched" || message.type === "challenge") {
      this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
    }
  }

  #open(table, follower) {
    this.#send({ type: "open", table, after: follower.last(), odds: follower.odds() });
  }

  #send(message) {
    this.#socket?.send(JSON.stringify(message));
  }
}

export const line = new Line();
