// A player as a program: it reads and writes JSON lines, and needs nothing but Node.
//
//     perudo match "cmd:node examples/bot.js" probabilistic random
//     node examples/bot.js http://127.0.0.1:8000 TOKEN     # online (Node 22, or
//                                                          # node --experimental-websocket)
//
// bot.py is the same player in Python. docs/protocol.md describes every message.
"use strict";

// Six times the expected surplus of dice over a bid: own dice, and a share of the unseen dice.
function spare(question, bid) {
  const [quantity, face] = bid.split("x").map(Number);
  const faces = new Set([face]); // a wild die counts as every face
  if (question.wild !== null) faces.add(question.wild);
  const held = [...question.dice].filter((die) => faces.has(Number(die))).length;
  const unseen = question.counts.reduce((sum, count) => sum + count, 0) - question.dice.length;
  return 6 * held + faces.size * unseen - 6 * quantity;
}

// Choose a legal action.
function choose(question) {
  const legal = question.legal;
  const bids = legal.filter((action) => action.includes("x"));
  if (legal.includes("dudo") && spare(question, question.bid) < 0) return "dudo";
  if (bids.length > 0) {
    return bids.reduce((best, bid) => (spare(question, bid) > spare(question, best) ? bid : best));
  }
  return ["decline", "dudo", "doubt"].find((word) => legal.includes(word));
}

function playOnline(server, token) {
  const address = server.replace(/^http/, "ws") + "/ws?style=program";
  const socket = new WebSocket(address, ["perudo", "token." + token]);
  const say = (message) => socket.send(JSON.stringify(message));
  const seed = () => require("crypto").randomBytes(16).toString("hex"); // its share of the dice's randomness
  const queue = () => say({ type: "queue", players: 2, rated: true, seed: seed() });
  socket.onopen = queue;
  socket.onclose = () => setTimeout(() => playOnline(server, token), 1000);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "decide") {
      say({ type: "action", table: message.table, id: message.id, action: choose(message) });
    } else if (message.type === "challenge") {
      say({ type: "sit", table: message.table, seed: seed(), key: message.key });
    }
    if (message.type === "end") queue();
  };
}

function playHere() {
  const lines = require("readline").createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "decide") { // hello, result, end and future messages need no answer
      const answer = { type: "action", id: message.id, action: choose(message) };
      process.stdout.write(JSON.stringify(answer) + "\n");
    }
  });
}

const [, , server, token] = process.argv;
if (token) playOnline(server, token);
else playHere();
