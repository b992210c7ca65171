// A few soft synthesized tones; off by default.

import { kept } from "./choices.js";

const TUNES = { turn: [[660, 0], [880, 0.12]], roll: [[180, 0], [220, 0.05], [160, 0.1], [240, 0.15]], late: [[520, 0]] };
let context = null;

export function play(name) {
  if (!kept("sound")) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  for (const [pitch, later] of TUNES[name]) {
    const start = context.currentTime + later;
    const tone = new OscillatorNode(context, { frequency: pitch, type: name === "roll" ? "triangle" : "sine" });
    const loudness = new GainNode(context, { gain: 0 });
    loudness.gain.linearRampToValueAtTime(0.12, start + 0.01);
    loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.25);
    tone.connect(loudness).connect(context.destination);
    tone.start(start);
    tone.stop(start + 0.3);
  }
}
