"""Many games at once: the same games as at a table, replaced when they end."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.agents import agent_named
from perudo.games.chance import combine, key_of, stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import MATCH
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.adapters.batched import BatchedPerudo, Step, random_actions
from perudo.table import KeyedDice, Table


def test_lanes_play_the_games_of_their_keys() -> None:
    """Every lane against tables with the same keys, action by action, over several games."""
    rules, players, lanes, seed = "official:dice=2", 3, 4, 11
    env = BatchedPerudo(lanes, rules, players, seed)
    step, stream = env.reset(), stream_of(1)

    def table(lane: int, game: int) -> Table:
        key = np.uint64(combine(key_of(seed, lane), game))
        return Table(PERUDO, Rules.parse(rules), ["x"] * players, KeyedDice(key))

    games = [0] * lanes
    tables = [table(lane, 0) for lane in range(lanes)]
    for _ in range(120):
        actions = random_actions(step.masks, stream)
        assert (step.masks[np.arange(lanes), actions] == 1).all()
        assert step.seats.tolist() == [one.actor for one in tables]
        step = env.step(actions)
        for lane, number in enumerate(actions.tolist()):
            tables[lane].act(tables[lane].actor, env.numbers.action(number))
            assert bool(step.dones[lane]) == tables[lane].over
            if tables[lane].over:
                assert step.payoffs[lane] == pytest.approx(tables[lane].state.payoffs(MATCH))
                games[lane] += 1
                tables[lane] = table(lane, games[lane])
            else:
                assert not step.payoffs[lane].any()
            seat = tables[lane].actor
            assert seat is not None
            assert env.observe(lane) == tables[lane].observe(seat)
    assert min(games) >= 1
    assert env.games_finished == sum(games)


def test_payoffs_can_be_of_rounds() -> None:
    env = BatchedPerudo(16, "common:dice=2", 3, seed=2, payoffs="round")
    step, stream = env.reset(), stream_of(1)
    dudo = env.numbers.number("dudo")
    settled = 0
    for _ in range(40):
        actions = random_actions(step.masks, stream)
        before = [env.observe(lane) for lane in range(env.lanes)]
        step = env.step(actions)
        for lane in range(env.lanes):
            called = actions[lane] == dudo
            assert step.payoffs[lane].any() == called
            if called:
                settled += 1
                live = sum(count > 0 for count in before[lane].dice_counts)
                expected = [
                    0.0 if count == 0 else 1 / (live - 1) for count in before[lane].dice_counts
                ]
                expected[int(step.payoffs[lane].argmin())] = -1.0
                assert step.payoffs[lane] == pytest.approx(expected)
    assert settled > 20
    assert env.games_finished > 0


def play(env: BatchedPerudo, steps: int, lanes: int) -> list[Step]:
    """Random steps in which each lane has luck of its own."""
    streams = [stream_of(7, lane) for lane in range(env.lanes)]
    step = env.reset()
    shown = []
    for _ in range(steps):
        rows = [random_actions(step.masks[lane : lane + 1], streams[lane]) for lane in range(lanes)]
        step = env.step(np.concatenate(rows))
        shown.append(step)
    return shown


def test_a_lane_does_not_depend_on_the_others() -> None:
    few = play(BatchedPerudo(2, "official:dice=2", 2, seed=4), 60, 2)
    many = play(BatchedPerudo(5, "official:dice=2", 2, seed=4), 60, 5)
    for one, other in zip(few, many, strict=True):
        for name in Step._fields:
            assert (getattr(one, name) == getattr(other, name)[:2]).all(), name
    assert sum(step.dones[:2].sum() for step in many) > 2


def test_seeds() -> None:
    env = BatchedPerudo(8, "official", 4, seed=1)
    first = env.reset()
    assert (env.reset().observations == first.observations).all()
    assert (env.reset(2).observations != first.observations).any()
    assert (env.reset(1).observations == first.observations).all()
    assert len(np.unique(first.observations[:, :6], axis=0)) > 4  # lanes have dice of their own


def test_what_was_given_stays_as_it_was() -> None:
    env = BatchedPerudo(3, "common", 2, seed=1)
    first = env.reset()
    kept = [part.copy() for part in first]
    first.masks[:] = 1  # a learner's own array: the game does not look at it
    env.step([0, 0, 0])
    with pytest.raises(PerudoError, match="game 1: 1x2 is not legal: it is not higher"):
        env.step([1, 0, 1])
    assert (first.observations == kept[0]).all()


@pytest.mark.parametrize(
    "actions, reason",
    [
        ([0, 0], "3 whole numbers, one for each game; these are of shape"),
        ([0.0, 1.0, 2.0], "type float64"),
        ([0, 51, 0], "game 1: there is no action 51; they are numbered 0 to 50"),
        ([0, 0, -1], "game 2: there is no action -1"),
        ([50, 0, 0], "game 0: dudo is not legal: there is no bid to doubt"),
    ],
)
def test_wrong_actions_change_nothing(actions: list[int], reason: str) -> None:
    env = BatchedPerudo(3, "common", 2, seed=1)
    before = [env.observe(lane) for lane in range(3)]
    with pytest.raises(PerudoError, match=reason):
        env.step(actions)
    assert [env.observe(lane) for lane in range(3)] == before


@pytest.mark.parametrize(
    "lanes, rules, players, payoffs, reason",
    [
        (0, "common", 2, "match", "at least 1"),
        (1, "comon", 2, "match", "unknown rules 'comon'"),
        (1, "official", 7, "match", "7"),
        (1, "common", 2, "die", "'match' or 'round'"),
    ],
)
def test_wrong_tables(lanes: int, rules: str, players: int, payoffs: str, reason: str) -> None:
    with pytest.raises(PerudoError, match=reason):
        BatchedPerudo(lanes, rules, players, 0, payoffs)


def test_agents_of_the_package_can_sit_in() -> None:
    """An Observer answers a lane's position; what it says is legal there."""
    env = BatchedPerudo(2, "common", 2, seed=1)
    env.step([12, 20])
    agent = agent_named("observer")
    chosen = [
        env.numbers.number(agent.decide(env.observe(lane), agent.new_memory(), stream_of(1)).action)
        for lane in range(2)
    ]
    env.step(chosen)


def test_random_actions_are_uniform_over_the_mask() -> None:
    masks = np.zeros((30_000, 7), np.int8)
    masks[:, [1, 4, 6]] = 1
    counts = np.bincount(random_actions(masks, stream_of(1)), minlength=7)
    assert counts[[0, 2, 3, 5]].sum() == 0
    assert counts[[1, 4, 6]] == pytest.approx(10_000, abs=400)  # five standard deviations
    masks[3] = 0
    with pytest.raises(PerudoError, match="row 3 of the masks allows no action"):
        random_actions(masks, stream_of(1))
