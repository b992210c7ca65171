// The guided first round of Perudo.

export { view } from "../games/perudo/learn.js";
