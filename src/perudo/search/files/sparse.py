"""A sparse page: of a round's strategies only what their own play can lead to.

A row (a position and a hand) is kept if the player's own will leads there at all, and in a row the
moves that are worth a chance; positions that are missing are for somebody else to play. Many pages
make one file: a line of JSON that people can read, then arrays of bytes, one kind after the other,
compressed. A file that is damaged or of another version is refused.
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
"""So many bytes of a position's key tell it from all others of its page."""
Bytes = npt.NDArray[np.uint8]


class StoredAbout(About, total=False):
    """A page in the header of a file."""

    sizes: list[int]
    """The length of each part of the page."""


class BookHeader(Header, total=False):
    """The first line of a file."""

    pages: list[StoredAbout]


FORMAT = Format[BookHeader]("perudo sparse book", 2)


@dataclass(frozen=True)
class Pruning:
    """What is left out of a page."""

    least_chance: float
    """Moves that are less likely than this, if there are others ..."""
    least_reach: float
    """... and rows that the player's own will leads to less often, however the other plays."""
    levels: int = 255
    """How finely chances are told apart: the likeliest move of a row has this many."""


@dataclass(frozen=True)
class SparsePage:
    """The strategies of both players in one round, as far as they need them."""

    keys: Keys
    """Of each position: its memory key, cut to a few bytes."""
    actors: Bytes
    counts: Bytes
    """Of each position and hand, as ``put_hand`` numbers them: how many moves are listed."""
    moves: Bytes
    """Of each listed move: its place among the legal ones."""
    chances: Bytes
    """And how likely it is; whoever reads them makes them add up."""
    about: About

    @property
    def first_rows(self) -> npt.NDArray[np.int64]:
        """Where each position's counts begin, and where the last end."""
        hands = np.array(self.about["hands"], np.int64)[self.actors]
        return np.concatenate([[0], np.cumsum(hands)])


@kernel
def best_reach(player: int, graph: Layout, chances: Numbers, reach: Numbers) -> None:
    """Fill in how likely the player's will leads to each node, on the likeliest way, by hand."""
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
    """The largest chance of each row (hand and node of the player), and how to spread rows."""
    mine = np.flatnonzero(graph.actors == player)
    moves = np.diff(graph.edges)[mine]
    best: Any = np.maximum.reduceat(chances, graph.offsets[mine], axis=1)
    return best, lambda rows: np.repeat(rows, moves, axis=1)


def reaches(graph: MemoryGraph, chances: Players) -> Players:
    """How likely each player's own will leads to each node with each hand, on the best way."""
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
    """Chances as they are stored; the likeliest move of a row takes the whole scale."""
    stored = []
    for player in range(2):
        kept = np.where(chances[player] < pruning.least_chance, 0.0, chances[player])
        best, spread = rows_of(graph, player, kept)
        scaled = kept / spread(np.where(best > 0, best, 1.0)) * pruning.levels
        stored.append(np.round(scaled).astype(np.uint8))
    return stored[0], stored[1]


def sparse_page(graph: MemoryGraph, chances: Players, about: About, pruning: Pruning) -> SparsePage:
    """Keep of dense strategies, by player, hand and the graph's ``offsets``, what is needed."""
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
    """A page's chances, laid out as those of a graph; 0 where it is silent."""
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
"""Bytes of a key, an actor, a count, a move and a chance."""


def _choices(counts: Bytes) -> npt.NDArray[np.bool_]:
    """Of each listed move, whether its row lists another: only then is its chance stored."""
    return np.repeat(counts > 1, counts)


def _order(counts: Bytes) -> npt.NDArray[np.int64]:
    """Of each listed move of a file: its place in the page.

    In a file, rows that list equally many moves lie side by side: they are more like each other.
    """
    rows = np.argsort(counts, kind="stable")
    lengths = counts[rows].astype(np.int64)
    begins = (np.cumsum(counts, dtype=np.int64) - counts)[rows]
    shifts = begins - (np.cumsum(lengths) - lengths)
    return np.repeat(shifts, lengths) + np.arange(lengths.sum())


def _stored(page: SparsePage) -> list[Bytes]:
    """The parts of a page as they are in a file."""
    keys = page.keys.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :KEY_BYTES]
    order = _order(page.counts)
    chances = page.chances[order][_choices(page.counts)[order]]
    return [np.ascontiguousarray(keys), page.actors, page.counts, page.moves[order], chances]


def save(path: Path, pages: list[SparsePage], about: Header) -> None:
    """Write the file at once or not at all."""
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
    """Read a file's contents; one that is wrong or damaged is refused with the reason.

    Only the pages that are ``wanted``, by what is said about them, are unfolded.
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
