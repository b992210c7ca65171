"""The sequential test: how often it errs, and what it says of real agents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perudo.cli.contestants import contestant
from perudo.games.errors import PerudoError
from perudo.lab.engine import InProcess
from perudo.lab.tournament.run import Run
from perudo.lab.tournament.sprt import (
    BETTER,
    NOT_BETTER,
    UNDECIDED,
    Duel,
    Hypotheses,
    SequentialTest,
)
from perudo.lab.tournament.store import Games, Store
from perudo.lab.tournament.tournament import Tournament
from perudo.ratings import expected_score

TESTS = 1000
PAIRS = ((0.0, 0.5, 1.0), (0.25, 0.5, 0.25))
"""Scores of a block of two games, and their chances, for equals."""
LUCKY = ((0.0, 0.5, 1.0), (0.02, 0.96, 0.02))
"""Scores and probabilities where dice decide nearly everything."""
SKEWED = ((0.25, 0.5, 1.0), (0.4, 0.4, 0.2))
"""Blocks of four games between equals, seldom but clearly won."""


def verdicts(
    scores: tuple[float, ...], chances: tuple[float, ...], tests: int, hypotheses: Hypotheses
) -> dict[str, int]:
    """Count the verdicts of a number of tests on random blocks."""
    rng = np.random.default_rng(7)
    found = {BETTER: 0, NOT_BETTER: 0, UNDECIDED: 0}
    for _ in range(tests):
        test = SequentialTest(hypotheses)
        while test.verdict == UNDECIDED and test.blocks < 20_000:
            for score in rng.choice(scores, 200, p=chances).tolist():
                if test.add(score) != UNDECIDED:
                    break
        found[test.verdict] += 1
    return found


@pytest.mark.parametrize(
    ("blocks", "hypotheses"),
    [(PAIRS, Hypotheses()), (LUCKY, Hypotheses(0, 40)), (SKEWED, Hypotheses(0, 40))],
)
def test_an_agent_against_itself_is_seldom_called_better(
    blocks: tuple[tuple[float, ...], tuple[float, ...]], hypotheses: Hypotheses
) -> None:
    assert np.dot(*blocks) == pytest.approx(0.5)
    found = verdicts(*blocks, TESTS, hypotheses)
    assert found[BETTER] <= 0.05 * TESTS
    assert found[UNDECIDED] == 0


def test_errors_are_as_rare_as_was_asked_for() -> None:
    """Within three standard errors of this many tests."""
    for alpha in (0.05, 0.2):
        found = verdicts(*PAIRS, TESTS, Hypotheses(0, 60, alpha, 0.05))
        assert 0 < found[BETTER] <= TESTS * alpha + 3 * (TESTS * alpha * (1 - alpha)) ** 0.5


def test_a_real_difference_is_seldom_missed() -> None:
    more = expected_score(40) - 0.5
    found = verdicts((0.0, 0.5, 1.0), (0.25 - more, 0.5, 0.25 + more), 300, Hypotheses(0, 40))
    assert found[NOT_BETTER] <= 0.05 * 300
    assert found[UNDECIDED] == 0


def test_a_verdict_stays() -> None:
    test = SequentialTest(Hypotheses())
    while test.add(1.0) == UNDECIDED:
        pass
    blocks = test.blocks
    assert test.add(0.0) == test.verdict == BETTER
    assert test.blocks == blocks
    assert test.data()["for_better"] >= test.data()["for_better_limit"]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"elo0": 20.0}, "--elo0 20 should be less than --elo1 20"),
        ({"elo1": 5000.0}, "between -1000 and 1000"),
        ({"alpha": 0.0}, "--alpha 0 should be between 0 and 0.5"),
        ({"beta": 0.7}, "--beta 0.7 should be"),
    ],
)
def test_impossible_hypotheses(asked: dict[str, float], reason: str) -> None:
    with pytest.raises(PerudoError, match=reason):
        Hypotheses(**asked)


def duel(directory: Path, agents: tuple[str, str], blocks: int, players: int = 2) -> Games:
    tournament = Tournament(agents, players, teams=True)
    with Store(directory, tournament.identity()) as store:
        Run(tournament, store, InProcess(), contestant, 30.0).play(blocks)
        return store.games()


@pytest.mark.parametrize("players", [2, 4])
def test_a_real_agent_against_itself_is_not_better(tmp_path: Path, players: int) -> None:
    """With the same dice and luck in each seat, both win as much in every block."""
    games = duel(tmp_path, ("probabilistic", "probabilistic"), 100, players)
    found = Duel(Hypotheses(0, 40))
    found.see(games)
    tournament = Tournament(("probabilistic", "probabilistic"), players, teams=True)
    data = found.summary(tournament, games)
    assert data["sprt"]["verdict"] == NOT_BETTER
    assert data["agents"][0]["win_rate"] == data["agents"][1]["win_rate"] == 0.5
    assert data["games"] == players * data["sprt"]["blocks"]


def test_a_better_agent_is_found_whatever_order_blocks_come_in(tmp_path: Path) -> None:
    games = duel(tmp_path, ("probabilistic", "random"), 60)
    tournament = Tournament(("probabilistic", "random"), 2, teams=True)
    summaries = []
    for step in (1, -1):
        found = Duel(Hypotheses())
        for block in range(60)[::step]:
            found.see(games.chosen(games.block == block))
        summaries.append(found.summary(tournament, games))
    assert summaries[0] == summaries[1]
    assert summaries[0]["sprt"]["verdict"] == BETTER
    assert summaries[0]["sprt"]["blocks"] < 60
