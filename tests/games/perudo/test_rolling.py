"""The dice are fair, and belong to their key, round and seat."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo.games.chance import combine
from perudo.games.perudo import (
    PERUDO,
    PerudoState,
    Rules,
    position,
)
from perudo.games.perudo.notation import hand_text
from perudo.games.perudo.rolling import die, roll
from perudo.games.perudo.rules import MAX_DICE, MAX_PLAYERS
from uniform import check_uniform

MANY = settings(max_examples=120, deadline=None, derandomize=True)
FEW = settings(max_examples=60, deadline=None, derandomize=True)


# --- dice ----------------------------------------------------------------------------------------
def cup(key: int, number: int, seat: int, count: int) -> str:
    """A cup, die by die."""
    faces = [int(die(np.uint64(key), number, seat, index)) for index in range(count)]
    return "".join(map(str, sorted(faces)))


@MANY
@given(
    st.integers(0, 2**64 - 1),
    st.integers(1, 10_000),
    st.integers(0, MAX_PLAYERS - 1),
    st.integers(1, MAX_DICE),
)
def test_a_cup_holds_its_dice(key: int, number: int, seat: int, count: int) -> None:
    round_key = np.uint64(combine(np.uint64(key), number))
    assert hand_text(int(roll(round_key, seat, count))) == cup(key, number, seat, count)


@FEW
@given(st.integers(0, 2**64 - 1), st.lists(st.integers(1, MAX_DICE), min_size=2, max_size=10))
def test_a_deal_rolls_these_dice_in_every_round(key: int, dice: list[int]) -> None:
    rules = Rules(max_players=10, dice=8, start_mode="fixed", calza=False, enable_pass=False)
    state = PERUDO.start(rules, len(dice), dice)
    for number in (1, 2, 3):
        if state.over:
            break
        state = state.deal(key)
        assert state.round == number
        for seat, count in enumerate(state.dice_counts):
            assert state.hand(seat) == cup(key, number, seat, count)
        state = state.apply("1x2").apply("dudo")


def test_every_ordered_roll_is_one_outcome_of_chance() -> None:
    """Clause 10.2: six to the number of dice, the last die of the last seat running fastest."""
    operations = PERUDO.operations
    start = PERUDO.start(Rules(), 3, [2, 0, 1]).record
    assert operations.chance_count(start) == 6**3
    found = []
    for index in range(6**3):
        record = start.copy()
        operations.chance_outcome(record, index)
        state = PerudoState(record)
        assert (state.round, state.turn, state.hand(1)) == (1, 0, "")
        found.append((state.hand(0), state.hand(2)))
    faces = range(1, 7)
    assert found == [
        ("".join(map(str, sorted((first, second)))), str(third))
        for first in faces
        for second in faces
        for third in faces
    ]


def test_an_opener_who_is_decided_stays_so_under_chance() -> None:
    record = position("official ../.. B - round=3").record
    PERUDO.operations.chance_outcome(record, 5)
    assert (PerudoState(record).turn, PerudoState(record).round) == (1, 4)


def test_dice_are_fair() -> None:
    """Each die of a cup by itself, and each pair of neighbours."""
    for index in range(12):
        faces = Counter(int(die(np.uint64(key), 1, 0, index)) for key in range(6000))
        check_uniform([faces[face] for face in range(1, 7)])
    pairs: Counter[tuple[int, int]] = Counter()
    for key in range(9000):
        first, second = (int(die(np.uint64(key), 1, 0, index)) for index in (3, 4))
        pairs[first, second] += 1
    check_uniform([pairs[first, second] for first in range(1, 7) for second in range(1, 7)])


def test_rounds_and_seats_have_dice_of_their_own() -> None:
    for number, seat in ((1, 1), (2, 0), (1, 9)):
        same = sum(
            die(np.uint64(key), 1, 0, 0) == die(np.uint64(key), number, seat, 0)
            for key in range(6000)
        )
        check_uniform([same] + [(6000 - same) // 5] * 5)


@pytest.mark.parametrize("players", [2, 3, 7, 10])
@pytest.mark.parametrize("mode", ["roll", "random"])
def test_every_seat_is_equally_likely_to_open(mode: str, players: int) -> None:
    start = PERUDO.start(Rules(max_players=10, start_mode=mode), players)
    openers = Counter(start.deal(key).opener for key in range(2000))
    check_uniform([openers[seat] for seat in range(players)])


@pytest.mark.parametrize("tie", ["reroll_tied", "reroll_all"])
def test_a_tied_start_roll_is_rolled_again_by_those_tied_or_by_all(tie: str) -> None:
    start = PERUDO.start(Rules(start_roll_tie=tie), 4)
    outsiders = ties = 0
    for key in range(3000):
        rolls = [int(die(np.uint64(key), 0, seat, 0)) for seat in range(4)]
        tied = [seat for seat in range(4) if rolls[seat] == max(rolls)]
        opener = start.deal(key).opener
        if len(tied) == 1:
            assert opener == tied[0]
        else:
            ties += 1
            outsiders += opener not in tied
    assert ties > 500
    assert (outsiders == 0) is (tie == "reroll_tied")
