"""A page: both players' strategies in one round, by memory key and hand. A book has many pages.

On disk a page is a human-readable line of JSON, followed by arrays. Loading refuses a file that is
damaged or of another version.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.search.files.sealed import (
    About,
    Format,
    SealedFileError,
    pack,
    read,
    unpack,
    write_whole,
)
from perudo.search.trees.memory_graph import MemoryGraph
from perudo.search.trees.outcomes import Keys, Players, Small
from perudo.search.trees.public_tree import LEAF, PLAYERS, PublicTree

SCALE = 65535
"""The stored value of probability 1. Readers normalise, because rounding changes the sum."""
ALL_MOVES = 1000
"""The memory, in moves, of a player with perfect recall."""
Chances = npt.NDArray[np.uint16]


class PageHeader(About, total=False):
    """The first line of a page's file."""

    positions: int
    chances: int


FORMAT = Format[PageHeader]("perudo page", 1)


@dataclass(frozen=True)
class Page:
    """The strategies of both players in one round; read-only."""

    keys: Keys
    """The memory key of each public position."""
    first: npt.NDArray[np.int64]
    """The start of each position's chances: a row of moves for each hand, in ``put_hand`` order."""
    moves: Small
    chances: Chances
    about: About

    def row(self, key: int, hand: int) -> npt.NDArray[np.float64]:
        """Return the probabilities of the legal moves, in order, at a position with a hand."""
        where = np.flatnonzero(self.keys == np.uint64(key))
        if not len(where):
            raise PerudoError("this position is not part of the solved round")
        moves = int(self.moves[where[0]])
        begin = int(self.first[where[0]]) + hand * moves
        stored = self.chances[begin : begin + moves].astype(np.float64)
        return np.asarray(stored / stored.sum())

    def save(self, path: Path) -> None:
        """Write the file atomically."""
        header: PageHeader = {"positions": len(self.keys), "chances": len(self.chances)}
        payload = zlib.compress(pack((self.keys, self.first, self.moves, self.chances)), 1)
        write_whole(path, FORMAT.seal(payload, header, self.about))

    @staticmethod
    def load(path: Path) -> Page:
        """Read a file; raise SealedFileError with the reason if it is wrong or damaged."""
        header, payload = FORMAT.unseal(read(path), str(path))
        positions, chances = header.pop("positions", -1), header.pop("chances", -1)
        if positions < 0 or chances < 0:
            raise SealedFileError(f"{path} does not state the number of its positions")
        shapes = [("u8", positions), ("i8", positions), ("i4", positions), ("u2", chances)]
        keys, first, moves, stored = unpack(zlib.decompress(payload), shapes, str(path))
        if np.any(first < 0) or np.any(moves < 1) or np.any(first + moves > chances):
            raise SealedFileError(f"{path} has positions that point outside its chances")
        return Page(keys, first, moves, stored, header)


def about_round(start: State) -> About:
    """Describe the round that begins here: its game, rules and dice."""
    about: About = {"game": start.game.name, "revision": start.game.revision}
    rules = getattr(start, "rules", None)
    if rules is not None:
        about["rules"] = str(rules)
        about["dice"] = [int(count) for count in start.record.counts[: start.players]]
    return about


def quantised(chances: npt.NDArray[Any]) -> Chances:
    """Return probabilities as stored 16-bit numbers."""
    return np.asarray((chances * SCALE).round().astype(np.uint16))


def page_of_graph(graph: MemoryGraph, strategies: Players, about: About) -> Page:
    """Return a page of strategies indexed by hand and by the graph's ``offsets``."""
    offsets = graph.offsets
    moves = np.diff(graph.edges).astype(np.int32)
    first = np.zeros(graph.nodes, np.int64)
    rows, begin = [], 0
    for node in range(graph.nodes):
        player, place = int(graph.actors[node]), int(offsets[node])
        block = strategies[player][:, place : place + moves[node]]
        rows.append(quantised(block).ravel())
        first[node] = begin
        begin += block.size
    return Page(graph.keys, first, moves, np.concatenate(rows), about)


def page_of_tree(
    tree: PublicTree, offsets: npt.NDArray[np.int64], chances: npt.NDArray[Any], about: About
) -> Page:
    """Return a page of strategies laid out like a solver's sums."""
    order = [_hand_places(tree, seat) for seat in range(PLAYERS)]
    keys, first, moves, rows = [], [], [], []
    begin = 0
    following: list[tuple[int, int, State]] = [(0, 0, _dealt(tree))]
    while following:
        kind, node, state = following.pop()
        edges = range(int(tree.edges[kind]), int(tree.edges[kind + 1]))
        actor = int(tree.actors[kind])
        hands, member = len(tree.weights[actor]), node - int(tree.begin[kind])
        size = int(tree.members[kind]) * hands
        place = int(offsets[kind]) + member * hands
        block = np.stack([chances[place + move * size :][:hands] for move in range(len(edges))])
        keys.append(int(tree.start.game.operations.memory_key(state.record, ALL_MOVES)))
        first.append(begin)
        moves.append(len(edges))
        rows.append(quantised(block.T[order[actor]]).ravel())
        begin += block.size
        for edge in edges:
            child = int(tree.targets[edge]) + member
            into = int(np.searchsorted(tree.begin, child, side="right")) - 1
            if tree.actors[into] != LEAF:
                following.append((into, child, state.apply(int(tree.actions[edge]))))
    return Page(
        np.array(keys, np.uint64),
        np.array(first, np.int64),
        np.array(moves, np.int32),
        np.concatenate(rows),
        about,
    )


def _dealt(tree: PublicTree) -> State:
    record = tree.start.record
    tree.start.game.operations.chance_outcome(record, 0)
    return type(tree.start)(record)


def _hand_places(tree: PublicTree, seat: int) -> npt.NDArray[np.int64]:
    """Return the index in the tree of each hand, in ``put_hand`` order."""
    record, operations = _dealt(tree).record, tree.start.game.operations
    keys = []
    for index in range(operations.hand_count(record, seat)):
        operations.put_hand(record, seat, index)
        keys.append(operations.information_key(record, seat))
    return np.searchsorted(tree.hands[seat], np.array(keys, np.uint64))
