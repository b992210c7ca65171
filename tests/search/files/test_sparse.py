"""Sparse pages: what is kept of strategies, and their files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from perudo.games.perudo import PERUDO, Rules
from perudo.search.cfr.opponent_sampling import HandsSolver
from perudo.search.files.sealed import About, SealedFileError
from perudo.search.files.sparse import Pruning, SparsePage, dense, load, reaches, save, sparse_page
from perudo.search.trees.memory_graph import MemoryGraph, build

EVERYTHING = Pruning(least_chance=0.0, least_reach=-1.0)
ABOUT: About = {"rules": "common", "dice": [2, 1], "memory": 1}


@pytest.fixture(scope="module")
def solver() -> HandsSolver:
    solver = HandsSolver(build(PERUDO.start(Rules.parse("common"), 2, [2, 1], opener=0), 1))
    solver.iterate(300)
    return solver


def page_of(solver: HandsSolver, pruning: Pruning) -> SparsePage:
    first, second = solver.average()
    return sparse_page(solver.graph, (first, second), ABOUT, pruning)


def test_what_is_kept_is_as_it_was(solver: HandsSolver) -> None:
    again = dense(page_of(solver, EVERYTHING), solver.graph)
    for chances, kept in zip(solver.average(), again, strict=True):
        assert np.abs(chances - kept).max() < 0.02  # rounded, and made to add up


def test_small_chances_are_left_out(solver: HandsSolver) -> None:
    all_of_it, thin = page_of(solver, EVERYTHING), page_of(solver, Pruning(0.05, -1.0))
    assert len(thin.moves) < len(all_of_it.moves)
    assert np.count_nonzero(thin.counts) == np.count_nonzero(all_of_it.counts)


def test_rows_that_own_play_does_not_lead_to_are_left_out(solver: HandsSolver) -> None:
    page = page_of(solver, Pruning(0.01, 0.05))
    first, second = dense(page, solver.graph)
    own = reaches(solver.graph, (first, second))
    rows, graph = page.first_rows, solver.graph
    nodes = {int(key): node for node, key in enumerate(graph.keys & np.uint64((1 << 40) - 1))}
    for index, key in enumerate(page.keys):
        counts = page.counts[rows[index] : rows[index + 1]]
        reach = own[page.actors[index]][nodes[int(key)]]
        assert np.all(reach[counts > 0] > 0.05)
    assert 0 < np.count_nonzero(page.counts) < len(page.counts)


def test_reach_is_that_of_the_best_way() -> None:
    """One die each, the opener always says 1x2 or 1x3, evenly: it answers after either."""
    graph: MemoryGraph = build(PERUDO.start(Rules.parse("common"), 2, [1, 1], opener=0), 2)
    moves = np.diff(graph.edges)
    first, second = (
        np.zeros((6, int(moves[graph.actors == player].sum())), np.float32) for player in range(2)
    )
    first[:, :2] = 0.5
    own = reaches(graph, (first, second))[0]
    assert set(np.unique(own)) == {0.0, 0.5, 1.0}
    assert own[0] == pytest.approx(np.ones(6))


# --- files --------------------------------------------------------------------------------------
def test_books_are_saved_and_read_again(solver: HandsSolver, tmp_path: Path) -> None:
    pages = [page_of(solver, EVERYTHING), page_of(solver, Pruning(0.01, 0.01, 15))]
    path = tmp_path / "two.book"
    save(path, pages, {"command": "here"})
    header, again = load(path.read_bytes(), "two.book")
    assert header["command"] == "here"
    for page, read in zip(pages, again, strict=True):
        assert read.about == page.about
        for name in ("keys", "actors", "counts", "moves", "chances"):
            assert np.array_equal(getattr(read, name), getattr(page, name))
    with pytest.raises(ValueError, match="read-only"):
        again[0].chances[0] = 1


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:-10], "damaged"),
        (lambda data: data.replace(b'"version": 2', b'"version": 9'), "version 9"),
        (lambda data: b"PK" + data, "not a perudo sparse book file"),
        (lambda data: b"[1]\n" + data, "not a perudo sparse book file"),
        (lambda data: data.replace(b'"sizes": [', b'"sizes": [1'), "does not match its header"),
        (lambda data: data.replace(b'"hands": [21, 6]', b'"hands": [21, 7]'), "do not agree"),
    ],
)
def test_damaged_books_are_refused(
    solver: HandsSolver, tmp_path: Path, damage: Callable[[bytes], bytes], reason: str
) -> None:
    path = tmp_path / "two.book"
    save(path, [page_of(solver, EVERYTHING)], {})
    assert json.loads(path.read_bytes().split(b"\n")[0])["pages"][0]["dice"] == [2, 1]
    with pytest.raises(SealedFileError, match=reason):
        load(damage(path.read_bytes()), "two.book")
