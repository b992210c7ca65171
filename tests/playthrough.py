"""Readable playthroughs of every game, kept in tests/golden to show when its rules change.

Run this file to write them anew.
"""

from __future__ import annotations

from pathlib import Path

from perudo.games import Game, games
from perudo.games.chance import below, stream_of
from perudo.games.game import seat_name
from perudo.games.operations import SPECTATOR
from perudo.table import SeededDice, Table

GOLDEN = Path(__file__).parent / "golden"
MOST_ACTIONS = 60


def playthrough(game: Game, seed: int = 7) -> str:
    """A seeded random match: before each action the state, every view of it, and what is legal."""
    setting = game.setting(game.presets[0])
    players = min(game.properties.min_players + 1, game.properties.max_players)
    names = [f"player {seat_name(seat)}" for seat in range(players)]
    table = Table(game, setting, names, SeededDice(seed))
    stream = stream_of(seed, 1)
    lines = [f"game: {game.name}", f"setting: {game.describe_setting(setting)}", ""]
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


if __name__ == "__main__":
    for name, game in games().items():
        (GOLDEN / f"{name}.txt").write_text(playthrough(game), encoding="utf-8")
