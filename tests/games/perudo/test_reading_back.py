"""Text and records can be read back; illegal or unreadable input is refused."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perudo.games.errors import IllegalActionError, InvalidActionError
from perudo.games.operations import SPECTATOR
from perudo.games.perudo import (
    PERUDO,
    Bid,
    PerudoState,
    Rules,
    parse_action,
    position,
)
from perudo.games.perudo.actions import WORDS, action_from_code
from perudo.games.perudo.bidding import REFUSALS
from perudo.games.perudo.layout import (
    ACTION_CODES,
    FIRST_BID_CODE,
    face_of,
    quantity_of,
)
from perudo.games.perudo.rules import FACES, MAX_PLAYERS, MAX_QUANTITY
from strategies import decisions, positions, rules_values

MANY = settings(max_examples=120, deadline=None, derandomize=True)


# --- parse after format is the identity ----------------------------------------------------------
def test_every_bid_reads_back() -> None:
    for quantity in range(1, MAX_QUANTITY + 1):
        for face in range(1, FACES + 1):
            bid = Bid(quantity, face)
            assert Bid.parse(str(bid)) == parse_action(str(bid)) == bid
            assert action_from_code(bid.code) == bid
            assert (quantity_of(bid.code), face_of(bid.code)) == (quantity, face)


def test_every_word_reads_back() -> None:
    for word in WORDS:
        assert parse_action(str(word)) == action_from_code(word.code) == word


def test_codes_of_actions_are_distinct() -> None:
    bids = [Bid(quantity, face) for quantity in range(1, 81) for face in range(1, 7)]
    codes = [bid.code for bid in bids] + [word.code for word in WORDS]
    assert len(set(codes)) == len(codes)
    assert all(0 < code < ACTION_CODES for code in codes)


@MANY
@given(rules_values())
def test_rules_read_back(rules: Rules) -> None:
    assert Rules.parse(str(rules)) == rules


@MANY
@given(rules_values())
def test_rules_ride_in_the_record(rules: Rules) -> None:
    assert PERUDO.start(rules, 2).rules == rules


@MANY
@given(positions(), st.integers(-1, MAX_PLAYERS - 1))
def test_positions_read_back(state: PerudoState, viewer: int) -> None:
    """Full states, and what a seat or a spectator sees of them."""
    assume(viewer < state.players)
    seen = state.observe(SPECTATOR if viewer < 0 else viewer)
    for shown in (state, seen):
        again = position(shown.notation)
        assert again.notation == shown.notation
        assert again.rules == shown.rules
        assert str(again.legal_actions) == str(shown.legal_actions)


@MANY
@given(decisions())
def test_information_is_about_this_round_only(state: PerudoState) -> None:
    """The same position without the rounds before it has the same information keys."""
    key = PERUDO.operations.information_key
    again = position(state.notation)
    for seat in range(state.players):
        assert int(key(again.record, seat)) == int(key(state.record, seat))


@MANY
@given(positions(most_steps=12), st.integers(-1, MAX_PLAYERS - 1))
def test_positions_of_the_first_round_read_back_to_the_same_bytes(
    state: PerudoState, viewer: int
) -> None:
    assume(state.outcome is None)
    assume(viewer < state.players)
    assert position(state.notation) == state
    if not state.awaits_deal:
        seen = state.observe(SPECTATOR if viewer < 0 else viewer)
        assume(viewer < 0 or state.dice_counts[viewer] > 0)
        assert position(seen.notation) == seen


# --- illegal and unreadable ----------------------------------------------------------------------
@MANY
@given(positions(), st.integers(-10, ACTION_CODES + 50))
def test_a_number_that_is_not_a_legal_action_is_refused(state: PerudoState, code: int) -> None:
    assume(code not in state.legal_actions.codes)
    before = state.record.tobytes()
    with pytest.raises((IllegalActionError, InvalidActionError)) as caught:
        state.apply(code)
    if isinstance(caught.value, IllegalActionError):
        assert caught.value.code in REFUSALS[1:]
    message = str(caught.value)
    assert "\n" not in message
    quoted = f"{code >> 3}x{code & 7}" if code >= FIRST_BID_CODE else str(code)
    if 0 < code < FIRST_BID_CODE - 1:
        quoted = str(action_from_code(code))
    assert quoted in message
    assert state.record.tobytes() == before
    assert code not in state.legal_actions


@pytest.mark.parametrize("code", [2**31, -(2**31), 2**63, 2**64 + 1, 2**200, -(2**200)])
def test_a_huge_number_is_refused_as_well(code: int) -> None:
    state = position("common 22/33 B 2x3")
    with pytest.raises((IllegalActionError, InvalidActionError)):
        state.apply(code)
    assert code not in state.legal_actions


TEXTS = st.one_of(
    st.text(max_size=20),
    st.from_regex(r"-?\d{1,4} ?[xX*,] ?\d{1,2}", fullmatch=True),
    st.sampled_from([*map(str, WORDS), "CALZA", "dudo ", "raise", "3x5\n", "x"]),
)


@MANY
@given(positions(), TEXTS)
def test_a_text_that_is_not_a_legal_action_is_refused(state: PerudoState, text: str) -> None:
    assume(text not in state.legal_actions)
    before = state.record.tobytes()
    with pytest.raises((IllegalActionError, InvalidActionError)) as caught:
        state.apply(text)
    message = str(caught.value)
    assert "\n" not in message
    if isinstance(caught.value, IllegalActionError):
        assert caught.value.code in REFUSALS[1:]
        assert message.startswith(str(parse_action(text)))
    else:
        shown = text.strip().lower().replace(" ", "").replace("*", "x").lstrip("0")
        assert repr(text) in message or shown in message
    assert state.record.tobytes() == before
