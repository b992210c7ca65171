"""Hidden information: observations, information keys, redeals."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perudo.games.chance import stream_of
from perudo.games.operations import SPECTATOR
from perudo.games.perudo import (
    PERUDO,
    PerudoState,
    Rules,
    position,
)
from perudo.games.perudo.layout import (
    BIDDING,
)
from perudo.games.perudo.notation import hand_text
from perudo.games.perudo.rules import FACES, MAX_PLAYERS
from strategies import decisions, positions
from uniform import check_uniform

MANY = settings(max_examples=120, deadline=None, derandomize=True)
FEW = settings(max_examples=60, deadline=None, derandomize=True)


# --- who knows what ------------------------------------------------------------------------------
def redealt(state: PerudoState, seat: int, seed: int) -> PerudoState:
    """The state with the cups of all others rolled again."""
    record = state.record
    PERUDO.operations.redeal(record, seat, stream_of(seed))
    return PerudoState(record)


def viewers(state: PerudoState) -> list[int]:
    """Every seat, and a spectator."""
    return [SPECTATOR, *range(state.players)]


def with_hands(state: PerudoState, hands: npt.NDArray[np.uint64]) -> PerudoState:
    """The state with other dice in the cups."""
    record = state.record
    record.hands = hands
    return PerudoState(record)


@MANY
@given(decisions(), st.integers(0, 2**32))
def test_an_observation_does_not_change_with_hidden_dice(state: PerudoState, seed: int) -> None:
    key = PERUDO.operations.information_key
    for seat in viewers(state):
        other = redealt(state, seat, seed)
        assert state.observe(seat) == other.observe(seat)
        if seat != SPECTATOR:
            known = int(key(state.record, seat))
            assert known == int(key(other.record, seat))
            assert known == int(key(state.observe(seat).record, seat))


def test_a_spectator_of_a_full_table_knows_no_dice() -> None:
    state = PERUDO.start(Rules(max_players=10), 10).deal(1)
    other = redealt(state, SPECTATOR, 2)
    assert [state.hand(seat) for seat in range(10)] != [other.hand(seat) for seat in range(10)]
    assert state.observe(SPECTATOR) == other.observe(SPECTATOR)
    key = PERUDO.operations.information_key
    assert int(key(state.record, SPECTATOR)) == int(key(other.record, SPECTATOR))


@MANY
@given(decisions(), st.data())
def test_an_observation_changes_with_own_dice(state: PerudoState, data: st.DataObject) -> None:
    alive = [seat for seat, count in enumerate(state.dice_counts) if count]
    seat = data.draw(st.sampled_from(alive))
    face = data.draw(st.integers(1, FACES))
    hand = str(face) * state.dice_counts[seat]
    assume(hand != state.hand(seat))
    record = state.record
    record.hands[seat] = np.uint64(state.dice_counts[seat]) << np.uint64(8 * face)
    other = PerudoState(record)
    assert other.hand(seat) == hand
    assert other.observe(seat) != state.observe(seat)
    key = PERUDO.operations.information_key
    assert int(key(other.record, seat)) != int(key(state.record, seat))
    for looker in (SPECTATOR, *(looker for looker in alive if looker != seat)):
        assert other.observe(looker) == state.observe(looker)


@MANY
@given(decisions())
def test_different_things_said_are_different_information(state: PerudoState) -> None:
    """Each action that the round survives, and none yet, has an information key of its own."""
    record, key = state.record, PERUDO.operations.information_key
    after = [state.apply(code).record for code in state.legal_actions.codes[:8]]
    said = [record, *(other for other in after if other.phase == BIDDING)]
    for seat in range(state.players):
        assert len({int(key(other, seat)) for other in said}) == len(said)


def test_other_dice_counts_seats_or_marks_are_different_information() -> None:
    notations = (
        "official 2/33/44 B 2x3",
        "official 2/33/444 B 2x3",
        "official 2/333/44 B 2x3",
        "official 2/33/44 B+C 2x3",
        "official 2/33/44 B 2x3 palafico=A",
        "official 2/33/44 B 2x3 been=A",
        "official 2/33/44 B 2x3 been=B",
        "official:palafico=declared 2/33/44 A - due=A been=A",
        "official 2/33/44 C 2x3",
        "official 2/33/44 C 2x3,3x3",
        "official 2/33/44 C 2x3,4x3",
    )
    key = PERUDO.operations.information_key
    assert len({int(key(position(text).record, 0)) for text in notations}) == len(notations)
    record = position(notations[0]).record
    assert len({int(key(record, seat)) for seat in range(3)}) == 3


@FEW
@given(st.integers(0, 2**32), st.integers(0, 2**32))
def test_a_doubted_pass_shows_no_other_cup(seed: int, change: int) -> None:
    """Neither while it is doubted nor in the rounds after."""
    state = PERUDO.start(Rules(), 4).deal(seed).apply("1x2")
    while state.actor != state.turn:
        state = state.apply("decline")
    state = state.apply("pass")
    passer = state.history[-1][0]
    before = state.record
    changed = redealt(state, passer, change).record
    for seat in range(4):
        ends = []
        for record in (before, changed):
            dealt = state.record
            dealt.hands = record.hands
            dealt.hands[seat] = before.hands[seat]
            settled = PerudoState(dealt).apply("doubt")
            ends += [settled.observe(seat), settled.deal(7).observe(seat)]
        assert ends[:2] == ends[2:]


@MANY
@given(decisions(), st.integers(0, 2**32))
def test_redeal_keeps_what_a_seat_knows(state: PerudoState, seed: int) -> None:
    for seat in viewers(state):
        other = redealt(state, seat, seed)
        if seat >= 0:
            assert other.hand(seat) == state.hand(seat)
        counts = [len(other.hand(place) or "") for place in range(state.players)]
        assert tuple(counts) == state.dice_counts
        nothing = np.zeros(MAX_PLAYERS, np.uint64)
        assert with_hands(state, nothing) == with_hands(other, nothing)


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_redeal_rolls_fair_dice(viewer: int) -> None:
    record = position("common:dice=8 11111111/11111/111 A -").record
    stream = stream_of(3)
    faces = [Counter[str]() for _ in range(3)]
    for _ in range(1000):
        PERUDO.operations.redeal(record, viewer, stream)
        for seat in range(3):
            faces[seat].update(hand_text(int(record.hands[seat])))
    for seat in range(3):
        if seat == viewer:
            assert set(faces[seat]) == {"1"}
        else:
            check_uniform([faces[seat][str(face)] for face in range(1, 7)])


@MANY
@given(positions(), positions())
def test_a_copy_is_the_same_whatever_was_there_before(
    source: PerudoState, target: PerudoState
) -> None:
    record = target.record
    PERUDO.operations.copy(record, source.record)
    assert record.tobytes() == source.record.tobytes()
