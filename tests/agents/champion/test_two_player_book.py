"""The champion between two players: its book, which rules share it, and how it plays from it."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.agents.champion.champion import Champion
from perudo.agents.champion.two_player_book import (
    MEMORIES,
    OpenBook,
    number_of_dice,
    open_book,
    plain_round,
    shipped,
)
from perudo.agents.papers.observer import Observer
from perudo.games.chance import stream_of
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.champion.two_player_training import Effort, rounds_of, solve_round
from perudo.lab.contest import Contest
from perudo.lab.play import play
from perudo.lab.solve.exploitability import exploitability
from perudo.search.trees.public_tree import build

ROUNDS = [(first, second) for first in range(1, 6) for second in range(1, 6)]


def start(rules: str, *dice: int) -> State:
    return PERUDO.start(Rules.parse(rules), 2, list(dice), opener=0)


def memories(rules: str) -> dict[tuple[int, int], int]:
    """Return the number of moves that the pages of a book remember, by dice."""
    parameters = open_book(Rules.parse(rules)).parameters
    return {dice: int(parameters[MEMORIES + number_of_dice(*dice)]) for dice in ROUNDS}


# --- which rounds are the same ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("one", "other", "dice"),
    [
        ("common", "perudish2", (5, 5)),
        ("common", "perudish_n", (3, 2)),
        ("common", "common_palafico", (2, 2)),
        ("official", "uk", (4, 4)),
        ("uk", "wikipedia", (5, 5)),
    ],
)
def test_rules_share_rounds(one: str, other: str, dice: tuple[int, int]) -> None:
    assert plain_round(Rules.parse(one), dice) == plain_round(Rules.parse(other), dice)


@pytest.mark.parametrize(
    ("one", "other", "dice"),
    [
        ("common", "common_aces", (2, 2)),
        ("official", "uk", (5, 4)),  # five dice may pass
        ("official", "asmodee", (2, 2)),
        ("official", "s0_sim", (2, 2)),  # calza between two
        ("official", "official:palafico=off", (1, 1)),  # nothing wild
        ("common", "common:loss=difference", (2, 2)),
    ],
)
def test_other_rules_do_not(one: str, other: str, dice: tuple[int, int]) -> None:
    assert plain_round(Rules.parse(one), dice) != plain_round(Rules.parse(other), dice)


def test_palafico_rounds_of_two_are_nobodys() -> None:
    assert plain_round(Rules.parse("common_palafico"), (2, 1)) is None


@pytest.mark.parametrize("rules", ["common", "dudo_ai", "official", "uk", "common_palafico"])
@pytest.mark.parametrize("dice", [(1, 1), (2, 1)])
def test_the_plain_round_is_the_round(rules: str, dice: tuple[int, int]) -> None:
    """The same public tree: actions, players and settlements."""
    plain = plain_round(Rules.parse(rules), dice)
    if plain is None:
        assert rules == "common_palafico"
        return
    if rules in ("official", "uk") and dice != (1, 1):
        return  # millions of positions
    mine = build(start(rules, *dice))
    theirs = build(PERUDO.start(plain, 2, list(dice), opener=0))
    for name in ("actors", "edges", "targets", "actions", "payoffs"):
        assert np.array_equal(getattr(mine, name), getattr(theirs, name))


# --- the shipped book ---------------------------------------------------------------------------
@pytest.mark.parametrize("rules", ["common", "perudish2", "perudish_n", "dudo_ai", "official"])
def test_every_pair_of_dice_is_shipped(rules: str) -> None:
    assert all(memories(rules).values())


def test_rules_that_are_not_shipped_are_told() -> None:
    rules = "s0_sim"
    assert not any(memories(rules).values())
    agent = Champion(book=True).prepare(start(rules, 2, 2))
    state = start(rules, 2, 2).deal(1)
    seat = state.actor
    assert seat is not None
    decision = agent.decide(state.observe(seat), agent.new_memory(), stream_of(1))
    assert decision.thoughts is not None
    chances = decision.thoughts.probabilities
    assert chances is not None
    assert len(set(chances.values())) == 1  # silent: every legal move alike


def test_the_file_says_what_it_is() -> None:
    pages = shipped()
    assert all({"rules", "dice", "memory", "value"} <= set(page.about) for page in pages)
    assert len({(page.about["rules"], *page.about["dice"]) for page in pages}) == len(pages)


def test_the_champion_plays_the_book_between_two() -> None:
    """Who does not read opponents says what the book says, alone or not."""
    alone, whole = Champion(book=True), Champion(adapt=0.0)
    for deal in range(20):
        state = start("common", 4, 5).deal(deal)
        while (seat := state.actor) is not None:
            seen = state.observe(seat)
            decisions = [
                agent.decide(seen, agent.new_memory(), stream_of(deal)) for agent in (alone, whole)
            ]
            thoughts = [decision.thoughts for decision in decisions]
            assert thoughts[0] is not None
            assert thoughts[1] is not None
            assert thoughts[0].probabilities == thoughts[1].probabilities
            state = state.apply(decisions[0].action)


def test_the_book_alone_is_for_two() -> None:
    reason = Champion(book=True).cannot_play(PERUDO, Rules(), 3)
    assert reason is not None
    assert "tables of two" in reason


@pytest.mark.parametrize(
    ("rules", "value"), [("common", -7 / 327), ("dudo_ai", -7 / 327), ("official", -1 / 9)]
)
def test_small_rounds_are_solved(rules: str, value: float) -> None:
    found = exploitability(Champion(book=True), start(rules, 1, 1))
    assert found["exploitability"] <= 1e-3
    assert found["value_of_opening"] == pytest.approx(value, abs=1e-3)


def test_it_beats_the_observer() -> None:
    contest = Contest(
        PERUDO, Rules.parse("common"), [Champion(book=True), Observer()], 2_000, seed=3
    )
    results = play(contest, 1)
    assert results.wins[:, 0].mean() > 0.55


def test_own_play_stays_in_the_book() -> None:
    """Against an opponent who does anything at all, it knows what to do in all its positions."""
    agent, luck = Champion(book=True).prepare(start("common", 3, 3)), np.random.default_rng(5)
    asked = silent = 0
    for deal in range(150):
        state = start("common", 3, 3).deal(deal)
        while (seat := state.actor) is not None:
            if seat == deal % 2:
                decision = agent.decide(state.observe(seat), agent.new_memory(), stream_of(deal))
                assert decision.thoughts is not None
                chances = decision.thoughts.probabilities
                assert chances is not None
                asked += 1
                silent += len(chances) > 5 and len(set(chances.values())) == 1
                state = state.apply(decision.action)
            else:
                codes = list(state.legal_actions.codes)
                # Small raises, so that rounds are long.
                state = state.apply(codes[int(luck.integers(min(len(codes), 4)))])
    assert asked > 200
    assert silent <= 0.02 * asked


# --- training -----------------------------------------------------------------------------------
def test_a_trained_round_is_played() -> None:
    effort = Effort(200)
    (round,) = (one for one in rounds_of({"common": effort}) if one[1] == (2, 2))
    page = solve_round(round, seed=1, effort=effort)
    assert page.about["memory"] >= 2
    assert page.about["deals"] == 200
    book = OpenBook.of([((2, 2), page)])
    assert len(book.moves) == len(book.chances) == int(page.counts.sum())


def test_a_round_is_learnt_against_clones_of_cfr() -> None:
    effort = Effort(100, nodes=500, clones=1, share=0.5)
    (round,) = (one for one in rounds_of({"common": effort}) if one[1] == (2, 2))
    page = solve_round(round, seed=1, effort=effort)
    assert page.about["clones"] == 1
    assert page.about["share"] == 0.5
