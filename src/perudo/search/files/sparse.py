"""A sparse page: the part of a round's strategies that their own play can reach.

A row (a position and a hand) is kept if the player's own moves can lead there, and in a row the
moves that are likely enough; another agent has to play the positions that are missing. Many pages
make one file: a human-readable line of JSON, then compressed arrays of bytes, one kind after the
other. Loading refuses a file that is damaged or of another version.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.kernel import kernel
from perudo.search.files.sealed import (
    About,
    Format,
    Header,
    SealedFileError,
    pack,
    unpack,
    write_whole,
)
from perudo.search.trees.memory_graph import Layout, MemoryGraph
from perudo.search.trees.outcomes import Keys, Numbers, Players

KEY_BYTES = 5
KEY_MASK = np.uint64((1 << (8 * KEY_BYTES)) - 1)
"""Keeps the lowest ``KEY_BYTES`` of a key, enough to distinguish the positions of one page."""
Bytes = npt.NDArray[np.uint8]


class StoredAbout(About, total=False):
    """The description of one page in the header of a file."""

    sizes: list[int]
    """The length of each part of the page."""


class BookHeader(Header, total=False):
    """The first line of a file: a description of each page."""

    pages: list[StoredAbout]


FORMAT = Format[BookHeader]("perudo sparse book", 2)


@dataclass(frozen=True)
class Pruning:
    """Thresholds below which parts of a strategy are left out of a page."""

    least_chance: float
    """Drop a move that is less likely than this."""
    least_reach: float
    """Drop a row that the player's own moves lead to no more often, however the other plays."""
    levels: int = 255
    """Quantisation levels of probabilities; a row's likeliest move is stored as this number."""


@dataclass(frozen=True)
class SparsePage:
    """The strategies of both players in one round, limited to what their own play can reach."""

    keys: Keys
    """Each position's memory key, cut to ``KEY_BYTES``."""
    actors: Bytes
    counts: Bytes
    """The number of listed moves, by position and by hand in ``put_hand`` order."""
    moves: Bytes
    """The index of each listed move among the legal ones."""
    chances: Bytes
    """Each listed move's unnormalised probability."""
    about: About

    @property
    def first_rows(self) -> npt.NDArray[np.int64]:
        """The start of each position's row counts, and the end of the last."""
        hands = np.array(self.about["hands"], np.int64)[self.actors]
        return np.concatenate([[0], np.cumsum(hands)])


@kernel
def best_reach(player: int, graph: Layout, chances: Numbers, reach: Numbers) -> None:
    """Fill in, by hand, the player's own reach of each node on the likeliest path."""
    actors, edges, targets, offsets = graph.actors, graph.edges, graph.targets, graph.offsets
    hands = reach.shape[1]
    reach[:] = 0.0
    reach[0] = 1.0
    for node in range(actors.size):
        begin, end = edges[node], edges[node + 1]
        for edge in range(begin, end):
            if targets[edge] < 0:
                continue
            into = reach[targets[edge]]
            move = offsets[node] + edge - begin
            for hand in range(hands):
                share = chances[hand, move] if actors[node] == player else np.float32(1.0)
                into[hand] = max(into[hand], reach[node, hand] * share)


def rows_of(graph: MemoryGraph, player: int, chances: Numbers) -> tuple[Numbers, Any]:
    """Return each row's largest chance, and a function that repeats rows for each move.

    A row is a hand and a node of the player.
    """
    mine = np.flatnonzero(graph.actors == player)
    moves = np.diff(graph.edges)[mine]
    best: Any = np.maximum.reduceat(chances, graph.offsets[mine], axis=1)
    return best, lambda rows: np.repeat(rows, moves, axis=1)


def reaches(graph: MemoryGraph, chances: Players) -> Players:
    """Return each player's own reach of each node with each hand, on the likeliest path."""
    found, layout = [], graph.layout()
    for player in range(2):
        mine = np.flatnonzero(graph.actors == player)
        totals: Any = np.add.reduceat(chances[player], graph.offsets[mine], axis=1)
        _, spread = rows_of(graph, player, chances[player])
        played = chances[player] / spread(np.where(totals > 0, totals, 1))
        reach = np.zeros((graph.nodes, len(graph.weights[player])), np.float32)
        best_reach(player, layout, played.astype(np.float32), reach)
        found.append(reach)
    return found[0], found[1]


def quantised(graph: MemoryGraph, chances: Players, pruning: Pruning) -> tuple[Bytes, Bytes]:
    """Return chances as stored bytes; a row's likeliest move gets the largest number."""
    stored = []
    for player in range(2):
        kept = np.where(chances[player] < pruning.least_chance, 0.0, chances[player])
        best, spread = rows_of(graph, player, kept)
        scaled = kept / spread(np.where(best > 0, best, 1.0)) * pruning.levels
        stored.append(np.round(scaled).astype(np.uint8))
    return stored[0], stored[1]


def sparse_page(graph: MemoryGraph, chances: Players, about: About, pruning: Pruning) -> SparsePage:
    """Prune dense strategies, indexed by player, hand and the graph's ``offsets``, to a page."""
    stored, offsets = quantised(graph, chances, pruning), graph.offsets
    own = reaches(graph, (stored[0].astype(np.float32), stored[1].astype(np.float32)))
    moves_of = np.diff(graph.edges)
    keys, actors, counts, moves, listed = [], [], [], [], []
    for node in range(graph.nodes):
        player = int(graph.actors[node])
        block = stored[player][:, offsets[node] : offsets[node] + moves_of[node]]
        block = np.where(own[player][node][:, None] > pruning.least_reach, block, 0)
        if not block.any():
            continue
        hand, move = np.nonzero(block)
        keys.append(graph.keys[node] & KEY_MASK)
        actors.append(player)
        counts.append(np.bincount(hand, minlength=len(block)))
        moves.append(move)
        listed.append(block[hand, move])
    if len(set(keys)) < len(keys):
        raise SealedFileError("two positions have the same key: more of its bytes are needed")
    all_counts = np.concatenate(counts).astype(np.uint8)
    all_chances = np.concatenate(listed).astype(np.uint8)
    all_chances[~_choices(all_counts)] = 1
    return SparsePage(
        np.array(keys, np.uint64),
        np.array(actors, np.uint8),
        all_counts,
        np.concatenate(moves).astype(np.uint8),
        all_chances,
        {**about, "hands": [len(weights) for weights in graph.weights]},
    )


def dense(page: SparsePage, graph: MemoryGraph) -> Players:
    """Return a page's chances in a graph's layout; 0 where the page lists nothing."""
    place = {int(key): node for node, key in enumerate(graph.keys & KEY_MASK)}
    moves, offsets, rows = np.diff(graph.edges), graph.offsets, page.first_rows
    ends = np.concatenate([[0], np.cumsum(page.counts, dtype=np.int64)])
    spread = [
        np.zeros((len(graph.weights[p]), int(moves[graph.actors == p].sum())), np.float32)
        for p in range(2)
    ]
    for index, key in enumerate(page.keys):
        counts = page.counts[rows[index] : rows[index + 1]]
        listed = slice(ends[rows[index]], ends[rows[index + 1]])
        hands = np.repeat(np.arange(len(counts)), counts)
        columns = offsets[place[int(key)]] + page.moves[listed]
        spread[page.actors[index]][hands, columns] = page.chances[listed]
    for player in range(2):
        mine = np.flatnonzero(graph.actors == player)
        totals: Any = np.add.reduceat(spread[player], offsets[mine], axis=1)
        spread[player] /= np.repeat(np.where(totals > 0, totals, 1), moves[mine], axis=1)
    return spread[0], spread[1]


# --- files --------------------------------------------------------------------------------------
WIDTHS = (KEY_BYTES, 1, 1, 1, 1)
"""The size in bytes of a key, an actor, a count, a move and a chance."""


def _choices(counts: Bytes) -> npt.NDArray[np.bool_]:
    """Return a mask of the listed moves whose row lists another: only their chances are stored."""
    return np.repeat(counts > 1, counts)


def _order(counts: Bytes) -> npt.NDArray[np.int64]:
    """Return the index in the page of each listed move of a file.

    A file puts rows with the same number of moves side by side: similar rows compress better.
    """
    rows = np.argsort(counts, kind="stable")
    lengths = counts[rows].astype(np.int64)
    begins = (np.cumsum(counts, dtype=np.int64) - counts)[rows]
    shifts = begins - (np.cumsum(lengths) - lengths)
    return np.repeat(shifts, lengths) + np.arange(lengths.sum())


def _stored(page: SparsePage) -> list[Bytes]:
    """Return the parts of a page as a file stores them."""
    keys = page.keys.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :KEY_BYTES]
    order = _order(page.counts)
    chances = page.chances[order][_choices(page.counts)[order]]
    return [np.ascontiguousarray(keys), page.actors, page.counts, page.moves[order], chances]


def save(path: Path, pages: list[SparsePage], about: Header) -> None:
    """Write the file atomically."""
    stored = [_stored(page) for page in pages]
    planes = (parts[number] for number in range(len(WIDTHS)) for parts in stored)
    payload = lzma.compress(pack(planes), preset=9)
    header: BookHeader = {"pages": []}
    for page, parts in zip(pages, stored, strict=True):
        header["pages"].append({**page.about, "sizes": [len(part) for part in parts]})
    write_whole(path, FORMAT.seal(payload, about, header))


def load(
    data: bytes, name: str, wanted: Callable[[About], bool] = lambda about: True
) -> tuple[BookHeader, list[SparsePage]]:
    """Read a file's contents; raise SealedFileError with the reason if they are wrong or damaged.

    Only the pages whose description is ``wanted`` are unpacked.
    """
    header, payload = FORMAT.unseal(data, name)
    abouts = header.pop("pages", [])
    sizes = [about.pop("sizes") for about in abouts]
    # All pages' keys come first, then all actors, and so on.
    shapes = [("u1", row[part] * width) for part, width in enumerate(WIDTHS) for row in sizes]
    parts = unpack(lzma.decompress(payload), shapes, name)
    planes = [parts[page :: len(abouts)] for page in range(len(abouts))]
    pages = []
    for about, parts in zip(abouts, planes, strict=True):
        if not wanted(about):
            continue
        keys, actors, counts, listed, chances = parts
        order = _order(counts)
        choices = order[_choices(counts)[order]]
        if len(order) != len(listed) or len(choices) != len(chances):
            raise SealedFileError(f"{name}: a page's rows, moves and chances do not agree")
        moves, spread = np.zeros(len(order), np.uint8), np.ones(len(order), np.uint8)
        moves[order] = listed
        spread[choices] = chances
        for part in (moves, spread):
            part.flags.writeable = False
        page = SparsePage(_keys(keys), actors, counts, moves, spread, about)
        _check(page, name)
        pages.append(page)
    return header, pages


def _keys(stored: Bytes) -> Keys:
    wide = np.zeros((len(stored) // KEY_BYTES, 8), np.uint8)
    wide[:, :KEY_BYTES] = stored.reshape(-1, KEY_BYTES)
    return np.asarray(wide.view("<u8").ravel().astype(np.uint64))


def _check(page: SparsePage, name: str) -> None:
    rows = int(page.first_rows[-1]) if page.actors.max(initial=0) < 2 else -1
    if len(page.keys) != len(page.actors) or rows != len(page.counts):
        raise SealedFileError(f"{name}: a page's positions and rows do not agree")
    if not np.all(page.chances):
        raise SealedFileError(f"{name}: a page lists a move that is never made")
