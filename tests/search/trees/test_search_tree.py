"""Choosing a move from a search's statistics, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from perudo.games.chance import stream_of
from perudo.search.trees.search_tree import (
    INFORMATION_SET,
    MOVE,
    SearchTree,
    best_by_ucb,
    drawn_by_regret,
    mean_value,
    regret,
)


def tree(*pairs: tuple[int, float]) -> SearchTree:
    """A tree of one information set, with its moves by visits and value."""
    visits = sum(n for n, _ in pairs)
    moves = np.array([(value, n**-0.5 if n else 0.0, n) for n, value in pairs], MOVE)
    sets = np.array([(1, 0, visits, len(pairs))], INFORMATION_SET)
    return SearchTree(sets, moves, np.array([1, len(pairs)]))


def test_ucb_by_hand() -> None:
    """N = 11, ln 11 = 2.398. First: .5 + c sqrt(2.398/10) = .5 + .490c; second .2 + 1.549c: the
    second is ahead if 1.059c > .3, so from c = .2833 on."""
    known, stream = tree((10, 0.5), (1, 0.2)), stream_of(3)
    assert best_by_ucb(known, 0, 0.28, stream) == 0
    assert best_by_ucb(known, 0, 0.29, stream) == 1
    assert best_by_ucb(tree((10, 0.5), (0, 0.0)), 0, 0.0, stream) == 1  # unvisited: first
    alike = tree((4, 0.5), (1, 0.2), (4, 0.5), (4, 0.5))
    drawn = [best_by_ucb(alike, 0, 0.1, stream) for _ in range(3_000)]
    assert np.bincount(drawn) == pytest.approx([1000, 0, 1000, 1000], abs=4 * math.sqrt(667))


def test_regret_by_hand() -> None:
    """Mean (3 * .5 + 1 * .1) / 4 = .4: regrets .1 and, for the worse, the floor .01."""
    known = tree((3, 0.5), (1, 0.1))
    assert mean_value(known.moves, 0, 2) == pytest.approx(0.4)
    assert regret(known.moves[0], 0.4, 0.01) == pytest.approx(0.1)
    assert regret(known.moves[1], 0.4, 0.01) == 0.01
    stream = stream_of(3)
    drawn = [drawn_by_regret(known, 0, 0.01, stream) for _ in range(20_000)]
    share = 0.01 / 0.11
    assert np.mean(drawn) == pytest.approx(share, abs=4 * math.sqrt(share / 20_000))
