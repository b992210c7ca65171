"""External sampling for any number of players, and answers learnt to a policy."""

from __future__ import annotations

import kuhn_poker
import numpy as np
import numpy.typing as npt
import pytest

from perudo.agents import agent_named
from perudo.agents.agent import CompiledAgent
from perudo.games import game_named
from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.solve.exploitability import exploitability, measure
from perudo.lab.solve.lower_bound import Effort, lower_bound
from perudo.lab.solve.sampling import Learnt
from perudo.search.cfr.external_sampling import SamplingSolver, learnt_parameters
from perudo.search.cfr.history_cfr import HistorySolver
from perudo.search.files.page import ALL_MOVES
from perudo.search.trees.history_tree import HistoryTree


def start(rules: str, *dice: int) -> State:
    return PERUDO.start(Rules.parse(rules), len(dice), list(dice), opener=0)


def standard(name: str) -> State:
    game = kuhn_poker.KUHN_POKER if name == "kuhn_poker" else game_named(name)
    return game.start(game.setting("standard"), 2)


def strategy(solver: SamplingSolver, tree: HistoryTree) -> npt.NDArray[np.float64]:
    """Return the learnt strategy, by the information sets of the history tree."""
    page = solver.page({})
    chances = np.zeros((tree.information_sets, int(tree.set_counts.max())))
    for index, key in enumerate(tree.keys):
        row = page.row(int(key), 0)
        chances[index, : len(row)] = row
    return chances


def test_kuhn_poker_is_learnt() -> None:
    """-1/18 to the first player, and nearly unexploitable."""
    solver = SamplingSolver(standard("kuhn_poker"), largest=1000)
    solver.iterate(60_000)
    judge = HistorySolver(HistoryTree(standard("kuhn_poker")))
    learnt = strategy(solver, judge.tree)
    assert judge.value(learnt) == pytest.approx(-1 / 18, abs=2e-3)
    assert judge.exploitability(learnt) < 0.01


def test_hidden_moves_are_learnt() -> None:
    """Rock, paper, scissors: a third each."""
    solver = SamplingSolver(standard("rock_paper_scissors"), largest=1000)
    solver.iterate(60_000)
    judge = HistorySolver(HistoryTree(standard("rock_paper_scissors")))
    assert strategy(solver, judge.tree) == pytest.approx(np.full((2, 3), 1 / 3), abs=0.03)


def test_more_than_two_players_learn() -> None:
    """Three with a die each: a searcher who knows what was learnt wins next to nothing from it,
    but a lot from random play."""
    first = start("common", 1, 1, 1)
    solver = SamplingSolver(first, largest=1 << 17)
    solver.iterate(60_000)
    agent = Learnt(*learnt_parameters(solver.page({"memory": ALL_MOVES})))
    effort = Effort(rounds=400, iterations=300, training=30_000)
    local = lower_bound(agent, first, "local", effort)
    assert local["ci95"][0] < 0.05
    assert lower_bound(agent_named("random"), first, "local", effort)["ci95"][0] > 0.2


def test_a_short_memory_needs_a_game_that_can_go_back() -> None:
    with pytest.raises(PerudoError, match="short memory"):
        SamplingSolver(standard("rock_paper_scissors"), memory=1)
    solver = SamplingSolver(start("common", 2, 2), memory=1, largest=1 << 12)
    solver.iterate(200)
    assert 0 < solver.information_sets <= 840


# --- lower bounds -------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["observer", "probabilistic", "heuristic-max"])
@pytest.mark.parametrize("method", ["local", "trained"])
def test_a_lower_bound_is_below_and_not_far(name: str, method: str) -> None:
    """Of the exact exploitability, where that is known: one die each."""
    agent, first = agent_named(name), start("common", 1, 1)
    assert isinstance(agent, CompiledAgent)
    exact = exploitability(agent, first)["exploitability"]
    effort = Effort(rounds=3_000, iterations=500, training=100_000, memory=10)
    bound = lower_bound(agent, first, method, effort)
    assert bound["ci95"][0] <= exact
    assert bound["lower_bound"] > 0.6 * exact


def test_where_exact_is_possible_it_is_taken() -> None:
    small = measure(agent_named("probabilistic"), start("common", 1, 1), "auto", Effort(rounds=20))
    assert small["exact"]
    large = measure(
        agent_named("probabilistic"),
        start("common", 5, 5),
        "auto",
        Effort(rounds=200, iterations=200, training=1_000),
    )
    assert not large["exact"]
    assert [bound["method"] for bound in large["lower_bounds"]] == ["local", "trained"]
    assert large["ci95"][0] <= large["exploitability_at_least"] <= large["ci95"][1]
    assert large["exploitability_at_least"] > 0.2
    with pytest.raises(PerudoError, match="unknown method 'guess'"):
        measure(agent_named("random"), start("common", 1, 1), "guess", Effort())
