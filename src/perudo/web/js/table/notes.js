// What this browser noted of the dice before each game of a table: the server's commitment (`anchor`) and the seed that
// the browser then sent, with `late` if it did not count. Kept as long as the tab is open, so that reloading loses nothing.

export class Notes {
  #key;
  #games = {};

  constructor(table) {
    this.#key = `perudo.dice.${table}`;
    try {
      this.#games = JSON.parse(sessionStorage.getItem(this.#key)) ?? {};
    } catch {
      // no storage: the notes last until the page closes
    }
  }

  of(game) {
    return this.#games[game] ?? null;
  }

  add(game, note) {
    this.#keep({ ...this.#games, [game]: { ...this.#games[game], ...note } });
  }

  drop(game) {
    const { [game]: _, ...others } = this.#games;
    this.#keep(others);
  }

  // What a game's dice are checked against by a player in this seat (see `checkDice`).
  known(game, seat) {
    const note = this.of(game);
    const earlier = Object.entries(this.#games).filter(([number, each]) => Number(number) < game && each.seed && !each.late)
      .map(([number, each]) => ({ anchor: each.anchor, seed: each.seed, games: game - number }));
    return { seat, anchor: note?.anchor ?? null, seed: note?.late ? null : note?.seed ?? null, earlier, before: this.of(game - 1)?.chained ?? null };
  }

  #keep(games) {
    this.#games = games;
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(games));
    } catch {
      // no storage: see above
    }
  }
}
