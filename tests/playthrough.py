"""Readable playthroughs of every game, kept in tests/golden to show when its rules change.

Run this file to write them anew, and a record of each game that has none.
"""

from __future__ import annotations

from pathlib import Path

from perudo.games import Game, games
from perudo.games.chance import below, stream_of
from perudo.games.game import seat_name
from perudo.games.operations import SPECTATOR
from perudo.table import SeededDice, Table

GOLDEN = Path(__file__).parent / "golden"
RECORDS = GOLDEN / "records"
MOST_ACTIONS = 60


def packaged_games() -> dict[str, Game]:
    """Return the package's own games by name, without those that examples register."""
    return {
        name: game for name, game in games().items() if type(game).__module__.startswith("perudo.")
    }


def recorded_games() -> set[str]:
    """Return the names of the games that have a golden record."""
    return {path.name.split("-")[0] for path in RECORDS.glob("*.jsonl")}


def new_table(game: Game, seed: int) -> Table:
    """Return a table for the game's usual setting, with a player more than it needs."""
    setting = game.setting(game.presets[0])
    players = min(game.properties.min_players + 1, game.properties.max_players)
    names = [f"player {seat_name(seat)}" for seat in range(players)]
    return Table(game, setting, names, SeededDice(seed))


def playthrough(game: Game, seed: int = 7) -> str:
    """A seeded random match: before each action the state, every view of it, and what is legal."""
    table = new_table(game, seed)
    players, stream = len(table.players), stream_of(seed, 1)
    setting = game.describe_setting(table.record.setting)
    lines = [f"game: {game.name}", f"setting: {setting}", ""]
    told = 0
    for _ in range(MOST_ACTIONS):
        for event in table.record.events[told:]:
            lines.append(f"event: {event}")
        told = len(table.record.events)
        actor = table.actor
        if actor is None:
            break
        operations = game.operations
        lines += ["", str(table.state)]
        for viewer in (*range(players), SPECTATOR):
            who = "spectator" if viewer == SPECTATOR else seat_name(viewer)
            lines.append(f"seen by {who}: " + str(table.observe(viewer)).replace("\n", " | "))
        record = table.state.record
        keys = [int(operations.information_key(record, seat)) for seat in range(players)]
        lines.append("information keys: " + " ".join(f"{key:016x}" for key in keys))
        legal = table.legal_actions
        lines.append(f"legal ({len(legal)}): {legal}")
        table.act(actor, legal[int(below(stream, len(legal)))])
    return "\n".join(lines) + "\n"


def record_match(game: Game, seed: int = 7) -> None:
    """Write the golden record of a seeded random match."""
    table, stream = new_table(game, seed), stream_of(seed, 1)
    while table.actor is not None:
        legal = table.legal_actions
        table.act(table.actor, legal[int(below(stream, len(legal)))])
    table.record.save(RECORDS / f"{game.name}-{game.revision}.jsonl")


if __name__ == "__main__":
    for name, game in packaged_games().items():
        (GOLDEN / f"{name}.txt").write_text(playthrough(game), encoding="utf-8")
        if name not in recorded_games():
            record_match(game)
