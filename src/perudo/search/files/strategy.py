"""A solved round's average strategy: what to do at each public position with each hand."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.errors import PerudoError
from perudo.games.game import game_named
from perudo.games.state import State
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.cfr.sweep import Vector
from perudo.search.files.sealed import SealedFileError, read, seal, unseal, write_whole
from perudo.search.trees.public_tree import PublicTree, build

KIND, VERSION = "perudo strategy", 1
SCALE = 65535
"""Probabilities are stored in 16 bits; they are made to add up again when read."""


@dataclass(frozen=True)
class Strategy:
    """Probabilities over a public tree; read-only."""

    tree: PublicTree
    offsets: npt.NDArray[np.int64]
    chances: Vector
    about: dict[str, Any]
    """How it was made: iterations, exploitability, value and so on."""

    @staticmethod
    def of(solver: Solver, about: dict[str, Any]) -> Strategy:
        """The average strategy of a solver."""
        chances = solver.average()
        chances.setflags(write=False)
        return Strategy(solver.tree, solver.offsets, chances, about)

    def probabilities(self, history: Sequence[int], hand_key: int) -> dict[int, float]:
        """The chance of each action after a public history, for a player's hand."""
        kind, node = self._find(history)
        tree = self.tree
        actor = int(tree.actors[kind])
        hands = tree.hands[actor]
        hand = int(np.searchsorted(hands, np.uint64(hand_key)))
        if hand == len(hands) or hands[hand] != np.uint64(hand_key):
            raise PerudoError("this hand is not of the round that was solved")
        edges = range(int(tree.edges[kind]), int(tree.edges[kind + 1]))
        size = int(tree.members[kind]) * len(hands)
        place = int(self.offsets[kind]) + (node - int(tree.begin[kind])) * len(hands) + hand
        return {
            int(tree.actions[edge]): float(self.chances[place + move * size])
            for move, edge in enumerate(edges)
        }

    def _find(self, history: Sequence[int]) -> tuple[int, int]:
        """The kind and node that a history of actions leads to."""
        tree, kind, node = self.tree, 0, 0
        for action in history:
            for edge in range(int(tree.edges[kind]), int(tree.edges[kind + 1])):
                if tree.actions[edge] == action:
                    node = int(tree.targets[edge]) + node - int(tree.begin[kind])
                    kind = int(np.searchsorted(tree.begin, node, side="right")) - 1
                    break
            else:
                raise PerudoError(f"action {action} is not in the round that was solved")
        return kind, node

    def save(self, path: Path) -> None:
        """Write a file: a line of JSON about it, then the probabilities."""
        payload = zlib.compress((self.chances * SCALE).round().astype("<u2").tobytes(), 6)
        start = self.tree.start
        about = {
            "game": start.game.name,
            "revision": start.game.revision,
            "start": _start_options(start),
            "entries": len(self.chances),
            **self.about,
        }
        write_whole(path, seal(KIND, VERSION, about, payload))

    @staticmethod
    def load(path: Path) -> Strategy:
        """Read a file; one that is wrong or damaged is refused with the reason."""
        header, payload = unseal(read(path), KIND, VERSION, str(path))
        return _restore(path, header, payload)


def _restore(path: Path, header: dict[str, Any], payload: bytes) -> Strategy:
    try:
        game = game_named(header.pop("game"))
        if header.pop("revision") != game.revision:
            raise SealedFileError(f"{path} was made for older rules of {game.name}")
        options = dict(header.pop("start"))
        setting = game.setting_from_options(options.pop("setting"))
        tree = build(game.start(setting, 2, **options))
        stored = np.frombuffer(zlib.decompress(payload), "<u2")
        entries = header.pop("entries")
    except (KeyError, TypeError, zlib.error) as error:
        raise SealedFileError(f"{path} has a header that cannot be read: {error}") from None
    solver = Solver(tree, precision=np.float32)
    if len(stored) != entries or len(stored) != len(solver.sums):
        raise SealedFileError(f"{path} does not fit the round that it names")
    solver.sums[:] = stored
    return Strategy.of(solver, header)


def _start_options(start: State) -> dict[str, Any]:
    """What ``Game.start`` needs to make this start again."""
    game = start.game
    setting = getattr(start, "rules", None)
    if setting is None:
        return {"setting": game.setting_options(game.setting(game.presets[0]))}
    record = start.record
    return {
        "setting": game.setting_options(setting),
        "dice": [int(count) for count in record.counts[:2]],
        "opener": int(record.opener),
    }
