"""Solving small rounds: known values, two solvers that agree, and OpenSpiel's own judgement."""

from __future__ import annotations

from fractions import Fraction

import kuhn_poker
import numpy as np
import numpy.typing as npt
import pytest

from perudo.games import game_named
from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.search.cfr.history_cfr import HistorySolver
from perudo.search.cfr.public_tree_cfr import VARIANTS, Solver
from perudo.search.trees.history_tree import HistoryTree
from perudo.search.trees.public_tree import PublicTree, TooLargeError, build
from search.strategies import Strategy

TWO_PLAYER_PRESETS = sorted(PERUDO.presets)


def perudo(rules: str, *dice: int) -> State:
    return PERUDO.start(Rules.parse(rules), 2, list(dice), opener=0)


def kuhn() -> State:
    game = kuhn_poker.KUHN_POKER
    return game.start(game.setting("standard"), 2)


@pytest.fixture(scope="module")
def openspiel_tree() -> PublicTree:
    return build(perudo("openspiel", 1, 1))


def solved(tree: PublicTree, target: float, variant: str = "dcfr") -> Solver:
    solver = Solver(tree, variant)
    while solver.exploitability() > target:
        solver.iterate(100)
        assert solver.iterations < 20_000
    return solver


def test_the_tree_is_as_large_as_perft_counts(openspiel_tree: PublicTree) -> None:
    assert openspiel_tree.decisions == 4096
    assert openspiel_tree.information_sets == 24_576


@pytest.mark.parametrize("variant", VARIANTS)
def test_kuhn_poker_is_worth_a_minus_eighteenth(variant: str) -> None:
    solver = Solver(build(kuhn()), variant)
    solver.iterate(20_000 if variant == "cfr" else 5000)
    assert solver.value() == pytest.approx(-1 / 18, abs=1e-4)
    assert solver.exploitability() < 1e-4


@pytest.mark.parametrize(
    "rules, value",
    [
        ("openspiel", Fraction(-7, 258)),
        ("dudo_ai", Fraction(-7, 327)),
        ("common", Fraction(-7, 327)),
        # With ones biddable and worth double, calza and palafico: stated here first.
        ("official", Fraction(-1, 9)),
        ("common_aces", Fraction(-1, 18)),
    ],
)
def test_one_die_each(rules: str, value: Fraction) -> None:
    solver = solved(build(perudo(rules, 1, 1)), 5e-5)
    assert solver.value() == pytest.approx(float(value), abs=1e-4)


@pytest.mark.parametrize("rules", TWO_PLAYER_PRESETS)
def test_every_preset_is_solved(rules: str) -> None:
    assert solved(build(perudo(rules, 1, 1)), 1e-4).exploitability() <= 1e-4


@pytest.mark.parametrize("dice, value", [((2, 1), 0.2592), ((1, 2), -0.0926)])
def test_two_dice_against_one(dice: tuple[int, int], value: float) -> None:
    solver = solved(build(perudo("common", *dice)), 5e-4)
    assert solver.value() == pytest.approx(value, abs=1e-3)


def test_nobody_plays_well_at_random(openspiel_tree: PublicTree) -> None:
    solver = Solver(openspiel_tree)
    assert 2 * solver.exploitability() == pytest.approx(1.5614886, abs=1e-7)


def by_histories(strategy: Strategy, tree: HistoryTree) -> npt.NDArray[np.float64]:
    """Return the strategy by the information sets of the history tree."""
    chances = np.zeros((tree.information_sets, int(tree.set_counts.max())))
    dealt = strategy.tree.start.record

    def walk(node: int, history: list[int], keys: list[int]) -> None:
        actor, children = int(tree.actors[node]), range(tree.counts[node])
        if actor >= 0:
            mixture = strategy.probabilities(history, keys[actor])
            row = [mixture[int(tree.actions[tree.first[node] + move])] for move in children]
            chances[tree.sets[node], : len(row)] = row
        for move in children:
            child = int(tree.first[node]) + move
            if node == 0:
                record = dealt.copy()
                strategy.tree.start.game.operations.chance_outcome(record, move)
                key = strategy.tree.start.game.operations.information_key
                walk(child, [], [int(key(record, seat)) for seat in (0, 1)])
            else:
                walk(child, [*history, int(tree.actions[child])], keys)

    walk(0, [], [])
    return chances


@pytest.mark.parametrize("iterations", [1, 3, 30])
@pytest.mark.parametrize("start", [kuhn(), perudo("asmodee", 1, 1)], ids=["kuhn", "asmodee"])
def test_both_trees_judge_a_strategy_alike(start: State, iterations: int) -> None:
    solver, histories = Solver(build(start)), HistorySolver(HistoryTree(start))
    solver.iterate(iterations)
    same = by_histories(Strategy(solver), histories.tree)
    assert solver.value() == pytest.approx(histories.value(same), abs=1e-12)
    for player in (0, 1):
        theirs = histories.best_response(player, same)
        assert solver.best_response(player) == pytest.approx(theirs, abs=1e-12)
    assert solver.exploitability() == pytest.approx(histories.exploitability(same), abs=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_trees_learn_alike(variant: str) -> None:
    """Step by step where no moves tie, as in Kuhn poker: a tie is broken by rounding errors."""
    one, other = Solver(build(kuhn()), variant), HistorySolver(HistoryTree(kuhn()), variant)
    for _ in range(3):
        one.iterate(7)
        other.iterate(7)
        assert one.value() == pytest.approx(other.value(), abs=1e-12)


def test_hidden_moves_are_solved_by_histories() -> None:
    game = game_named("rock_paper_scissors")
    start = game.start(game.setting("standard"), 2)
    with pytest.raises(PerudoError, match="without hidden moves"):
        build(start)
    solver = HistorySolver(HistoryTree(start), "cfr+")
    # It begins at the answer; so begin elsewhere.
    solver.regrets[:] = [[0.5, 0.1, 0], [0, 0.2, 0.7]]
    solver.iterate(3000)
    assert solver.exploitability() < 1e-3
    assert np.allclose(solver.strategy(solver.sums), 1 / 3, atol=2e-3)


def test_what_would_not_fit_is_refused() -> None:
    with pytest.raises(TooLargeError, match="more than 1,000 public positions"):
        build(perudo("common", 2, 2), largest=1000)
    with pytest.raises(TooLargeError, match="too many deals"):
        build(perudo("common", 5, 5))


def test_32_bits_are_enough_for_most(openspiel_tree: PublicTree) -> None:
    solver = Solver(openspiel_tree, "dcfr", np.float32)
    solver.iterate(600)
    assert solver.exploitability() < 5e-4
    assert solver.value() == pytest.approx(-7 / 258, abs=1e-3)


# --- OpenSpiel ----------------------------------------------------------------------------------
def open_spiel_tables(strategy: Strategy) -> dict[str, list[tuple[int, float]]]:
    """Our strategy in OpenSpiel's words: 12 bids by quantity and face, then 12 for `liar`."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("liars_dice(players=2,numdice=1)")

    def ours(action: int) -> int:
        return 1 if action == 12 else (action // 6 + 1) * 8 + action % 6 + 1

    tables: dict[str, list[tuple[int, float]]] = {}
    keys = {}
    for one in range(6):
        for other in range(6):
            state = strategy.tree.start.record
            PERUDO.operations.chance_outcome(state, one * 6 + other)
            for seat, face in enumerate((one, other)):
                keys[seat, face] = int(PERUDO.operations.information_key(state, seat))

    def walk(history: list[int]) -> None:
        player = len(history) % 2
        for face in range(6):
            state = game.new_initial_state()
            for action in [face, 0] if player == 0 else [0, face]:
                state.apply_action(action)
            for action in history:
                state.apply_action(action)
            chances = strategy.probabilities(
                [ours(action) for action in history], keys[player, face]
            )
            legal = state.legal_actions()
            name = state.information_state_string(player)
            tables[name] = [(action, chances[ours(action)]) for action in legal]
        for action in legal:
            if action != 12:
                walk([*history, action])

    walk([])
    return tables


def test_open_spiel_finds_our_strategy_as_exploitable_as_we_do(openspiel_tree: PublicTree) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    solver = Solver(openspiel_tree, "cfr+")
    solver.iterate(20)
    tables = open_spiel_tables(Strategy(solver))
    game = pyspiel.load_game("liars_dice(players=2,numdice=1)")
    theirs = pyspiel.exploitability(game, pyspiel.TabularPolicy(tables))
    assert theirs == pytest.approx(solver.exploitability(), abs=1e-9)


def test_our_cfr_plus_is_open_spiels(openspiel_tree: PublicTree) -> None:
    """The same average strategy after the same iterations."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("liars_dice(players=2,numdice=1)")
    theirs, ours = pyspiel.CFRPlusSolver(game), Solver(openspiel_tree, "cfr+")
    for _ in range(20):
        theirs.evaluate_and_update_policy()
    ours.iterate(20)
    average = theirs.average_policy()
    tables = open_spiel_tables(Strategy(ours))
    differences = []
    for name, chances in tables.items():
        answer = dict(average.action_probabilities(name))
        differences += [abs(answer[action] - chance) for action, chance in chances]
    # Both round, in different orders; that shows where two moves would be equal but for rounding.
    assert np.quantile(differences, 0.999) < 3e-12
    assert max(differences) < 1e-9
