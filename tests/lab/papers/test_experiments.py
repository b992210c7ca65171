"""Every experiment runs, and some published numbers come out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from perudo.agents import Agent, agent_named
from perudo.games.king_up.play import is_full
from perudo.lab.experiments.experiment import Added, Conditions, Experiment
from perudo.lab.papers import EXPERIMENTS, select
from perudo.lab.papers.king_up import movement, random_state, traced
from perudo.lab.papers.king_up_tournament import UCB, round_winners
from perudo.lab.plots import draw


def run(name: str, **conditions: Any) -> Any:
    (experiment,) = (one for one in EXPERIMENTS if one.id == name)
    return experiment.run(Conditions(quick=True, **conditions))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda one: str(one.id))
def test_every_experiment_runs(experiment: Experiment) -> None:
    """With hardly any games; each value is a number, each figure can be drawn."""
    told: list[str] = []
    conditions = Conditions(
        quick=True, share=0.003, workers=1, progress=lambda doing, done, total: told.append(doing)
    )
    findings = experiment.run(conditions)
    assert findings.rows
    for row in findings.rows:
        assert row.value is None or math.isfinite(row.value), row.label
        assert row.value is not None or row.why or "calzas" in row.label, row.label
    if findings.chart is not None:
        draw(findings.chart)
        assert told
    for text in (experiment.title, experiment.reports, experiment.setup):
        assert text
        assert not experiment.setup.endswith(".")


def test_published_numbers() -> None:
    """1a: 65 to 75 % of losses are the probabilistic agent's; S3-1: 757.7 within 20."""
    lost = run("1a", share=0.05).rows[0]
    assert 1300 < lost.value < 1500
    assert lost.verdict == "agrees"
    assert run("1a-r", share=0.05).verdict == "agrees"
    won = run("S3-1", share=0.2).rows[0]
    assert abs(won.value - 757.7) < 20


def test_the_same_seed_gives_the_same_findings_on_any_number_of_workers() -> None:
    one, other = (run("1c", share=0.02, workers=workers, seed=5) for workers in (1, 2))
    assert [row.data() for row in one.rows] == [row.data() for row in other.rows]
    third = run("1c", share=0.02, seed=6)
    assert [row.value for row in third.rows] != [row.value for row in one.rows]


def test_a_contest_is_played_once() -> None:
    conditions = Conditions(quick=True, share=0.01)
    one = conditions.play("common", ("random", "random"), 5)
    assert conditions.play("common", ("random", "random"), 5) is one
    assert conditions.play("common", ("random", "random"), 6) is not one


def test_full_runs_play_more() -> None:
    assert Conditions(quick=True).number(10, 100) == 10
    assert Conditions().number(10, 100) == 100
    assert Conditions(share=0.001).number(10, 100) == 2


# --- added agents -------------------------------------------------------------------------------
class Caller(Agent):
    """Opens low and calls whatever it can."""

    closed = 0

    def decide(self, observation: Any, memory: Any, stream: Any) -> Any:
        return "dudo" if "dudo" in observation.legal_actions else "1x2"

    def close(self) -> None:
        type(self).closed += 1


class Broken(Caller):
    def decide(self, observation: Any, memory: Any, stream: Any) -> Any:
        raise RuntimeError("no idea")


def test_an_added_agent_sits_down_in_place_of_another() -> None:
    Caller.closed = 0
    added = [Added("mine", Caller), Added("same", lambda: agent_named("observer"))]
    findings = run("1a", share=0.5, added=added)
    plain = run("1a", share=0.5)
    assert [row.data() for row in findings.rows] == [row.data() for row in plain.rows]
    mine, same = findings.added
    assert mine.label == "mine in place of observer, 50 games"
    assert mine.value < same.value
    assert mine.verdict == "not reported"
    assert Caller.closed > 0


def test_an_added_agent_that_fails_spoils_nothing() -> None:
    findings = run("S3-1", share=0.02, added=[Added("broken", Broken)])
    assert findings.rows[0].value > 700
    assert "RuntimeError: no idea" in findings.added[0].why
    findings = run("4.3", share=0.01, added=[Added("o", lambda: agent_named("observer"))])
    assert findings.added[0].why == "observer plays perudo, not king_up"


# --- King UP ------------------------------------------------------------------------------------
def test_random_states_can_be_played() -> None:
    stream = np.array([7], np.uint64)
    turns, levels = set(), set()
    for _ in range(200):
        state = random_state(stream)
        record = state.record
        assert len(state.legal_actions) > 0
        assert len(set(record.cards[:3].tolist())) == 3
        on_board = [level for level in record.levels[:7].tolist() if level >= 0]
        assert np.array_equal(np.bincount(on_board, minlength=5), record.filled[:5])
        assert all(record.filled[level] <= 3 for level in range(1, 5))
        assert not is_full(record, 5)
        turns.add(int(record.turn))
        levels.update(on_board)
    assert turns == {0, 1, 2}
    assert levels == {0, 1, 2, 3, 4}


def test_values_move_little_in_the_end() -> None:
    points = traced(UCB, random_state(np.array([7], np.uint64)), 1, 2_000)
    assert points.shape[1] == 3
    last = points[160:]
    assert movement(points) == max(last.max(axis=0) - last.min(axis=0))


def test_of_equal_scores_the_lowest_seat_wins() -> None:
    results = Conditions(quick=True).play(
        "thesis", ["random"] * 3, 200, game="king_up", mode="rounds", seating="fixed"
    )
    winners = round_winners(results)
    assert np.array_equal(winners.sum(axis=1), np.ones(200))
    for game in range(200):
        best = results.scores[game].max()
        assert winners[game, results.scores[game].tolist().index(best)] == 1
    played = Conditions(quick=True).play(
        "thesis", ["random"] * 3, 200, game="king_up", seating="fixed"
    )
    assert np.array_equal(played.wins, winners)  # the match says the same


def test_patterns_do_not_run_twice() -> None:
    assert len(select(["1*", "1a", "all"])) == len(EXPERIMENTS)
