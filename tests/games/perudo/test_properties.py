"""What holds in every match under any rules: by Hypothesis, and in volume inside a kernel.

Run as a program, this file prints the fingerprint of a fixed set of matches; the last tests
compare it between compiled and interpreted processes.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perudo.games.chance import Stream, below, combine, key_of, stream_of
from perudo.games.defaults import step_round_randomly
from perudo.games.errors import IllegalActionError, InvalidActionError
from perudo.games.game import (
    CHANCE,
    MATCH,
    OVER,
    ROUND,
    SPECTATOR,
    Record,
    action,
    action_count,
    actor,
    apply,
    copy,
    deal,
    finish_round_randomly,
    refusal,
    round_over,
)
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.perudo import (
    OPTIONS,
    PERUDO,
    PRESETS,
    Bid,
    PerudoState,
    Rules,
    parse_action,
    position,
)
from perudo.games.perudo.actions import WORDS, action_from_code
from perudo.games.perudo.bidding import REFUSALS, bid_range
from perudo.games.perudo.hands import hand_text
from perudo.games.perudo.layout import (
    ACTION_CODES,
    BIDDING,
    FIRST_BID_CODE,
    MAX_HISTORY,
    NO_COUNT,
    PASS,
    STATE_DTYPE,
    bid_code,
    count_in_hand,
    face_of,
    quantity_of,
)
from perudo.games.perudo.rolling import die, roll
from perudo.games.perudo.rules import FACES, MAX_DICE, MAX_PLAYERS, MAX_QUANTITY, option_values
from perudo.games.playout import random_games
from strategies import decisions, positions, random_dice, random_rules, rules_values

MANY = settings(max_examples=120, deadline=None, derandomize=True)
FEW = settings(max_examples=60, deadline=None, derandomize=True)
SIGMAS = 5.0


# --- whole matches, checked at every decision ----------------------------------------------------
FAULTS = (
    "none",
    "dice in play are not the sum of all cups",
    "the number of seats with dice is wrong",
    "somebody has more dice than the rules give",
    "a cup does not hold as many dice as it should",
    "the dice changed other than by what was lost and gained",
    "the wrong cups were lifted",
    "somebody without dice is to act",
    "an action is offered twice",
    "an action is offered that is refused",
    "an action is legal that is not offered",
    "there is nothing to do",
    "the history is too long",
    "random play to the end of the round differs from the same steps",
    "not exactly one player is left with dice, the winner",
    "the match does not end",
)
(
    NO_FAULT,
    WRONG_TOTAL,
    WRONG_LIVE,
    TOO_MANY_DICE,
    WRONG_HAND,
    DICE_NOT_CONSERVED,
    WRONG_CUPS_SHOWN,
    ACTOR_IS_OUT,
    OFFERED_TWICE,
    OFFERED_BUT_REFUSED,
    LEGAL_BUT_NOT_OFFERED,
    NOTHING_TO_DO,
    HISTORY_TOO_LONG,
    SHORT_CUT_DIFFERS,
    WRONG_WINNER,
    ENDLESS,
) = range(len(FAULTS))

MOST_DECISIONS = 100_000
RULES_DRAWN = 220
MATCHES_EACH = 50


@kernel
def fault_in_cups(state: Record) -> int:
    """Check the dice: counts, limits, and in a round the cups."""
    total, live = 0, 0
    for seat in range(MAX_PLAYERS):
        count = int(state.counts[seat])
        total += count
        live += 1 if count > 0 else 0
        if count > state.rules.dice:
            return TOO_MANY_DICE
        if state.phase == BIDDING:
            dice = 0
            for face in range(1, FACES + 1):
                dice += count_in_hand(state.hands[seat], face)
            if dice != count or (count == 0 and state.hands[seat] != 0):
                return WRONG_HAND
    if total != state.total:
        return WRONG_TOTAL
    return NO_FAULT if live == state.live else WRONG_LIVE


@kernel
def fault_in_offer(state: Record, stamps: npt.NDArray[np.int64], stamp: int) -> int:
    """Check that the actions offered are exactly those that are not refused."""
    offered = action_count(state)
    if offered < 1:
        return NOTHING_TO_DO
    for index in range(offered):
        code = action(state, index)
        if refusal(state, code) != 0:
            return OFFERED_BUT_REFUSED
        if stamps[code] == stamp:
            return OFFERED_TWICE
        stamps[code] = stamp
    legal = 0
    for code in range(ACTION_CODES):
        legal += 1 if refusal(state, code) == 0 else 0
    return NO_FAULT if legal == offered else LEGAL_BUT_NOT_OFFERED


@kernel
def fault_in_settlement(state: Record, before: npt.NDArray[np.int64]) -> int:
    """Check that dice changed only by what was lost and gained, and what was shown."""
    reveal = state.reveal
    for seat in range(MAX_PLAYERS):
        shown = reveal.count != NO_COUNT or seat == reveal.target
        if reveal.hands[seat] != (state.hands[seat] if shown else np.uint64(0)):
            return WRONG_CUPS_SHOWN
        change = int(reveal.gained[seat]) - int(reveal.lost[seat])
        if state.rules.single_round:
            change = 0
        if state.counts[seat] != before[seat] + change:
            return DICE_NOT_CONSERVED
    return NO_FAULT


@kernel
def check_match(
    states: Record, raw: npt.NDArray[np.uint8], key: np.uint64, stream: Stream
) -> tuple[int, int]:
    """Play ``states[0]`` to its end at random; returns the first fault and at which decision.

    ``states[1]`` is a workspace, from now and then to the end of a round by the short cut;
    ``raw`` are the bytes of both.
    """
    state, other = states[0], states[1]
    shadow = np.zeros(1, np.uint64)
    stamps = np.zeros(ACTION_CODES, np.int64)
    before = np.zeros(MAX_PLAYERS, np.int64)
    decision = 0
    while actor(state) != OVER:
        if actor(state) == CHANCE:
            deal(state, key)
            for seat in range(MAX_PLAYERS):
                before[seat] = state.counts[seat]
        decision += 1
        if decision > MOST_DECISIONS:
            return ENDLESS, decision
        if state.actions == 0 or decision % 5 == 0:
            copy(other, state)
            shadow[0] = stream[0]
            finish_round_randomly(other, shadow)
        if state.counts[actor(state)] == 0:
            return ACTOR_IS_OUT, decision
        fault = fault_in_cups(state)
        if fault == NO_FAULT:
            fault = fault_in_offer(state, stamps, decision)
        if fault != NO_FAULT:
            return fault, decision
        apply(state, action(state, below(stream, action_count(state))))
        if state.actions > MAX_HISTORY:
            return HISTORY_TOO_LONG, decision
        if round_over(state):
            fault = fault_in_settlement(state, before)
            if fault == NO_FAULT:
                fault = fault_in_cups(state)
            if fault != NO_FAULT:
                return fault, decision
            if shadow[0] != stream[0]:
                return SHORT_CUT_DIFFERS, decision
            for index in range(raw.shape[1]):
                if raw[0, index] != raw[1, index]:
                    return SHORT_CUT_DIFFERS, decision
    if state.winner < 0 or state.counts[state.winner] == 0:
        return WRONG_WINNER, decision
    if state.live != 1 and not state.rules.single_round:
        return WRONG_WINNER, decision
    return NO_FAULT, decision


def checked_match(rules: Rules, dice: list[int], seed: int) -> None:
    """Play one match and say what went wrong and where."""
    states = np.zeros(2, STATE_DTYPE)
    states[0] = states[1] = PERUDO.start(rules, len(dice), dice).record
    raw = states.view(np.uint8).reshape(2, STATE_DTYPE.itemsize)
    stream = stream_of(seed, 1)
    fault, decision = check_match(states, raw, key_of(seed), stream)
    if fault != NO_FAULT:
        found = PerudoState(states[0]).notation
        pytest.fail(
            f"{FAULTS[fault]}: decision {decision} of {rules}, dice {dice}, seed {seed}: {found}"
        )


def drawn_rules() -> list[Rules]:
    """The presets, and then many rules at random."""
    generator = random.Random(20)
    presets = [preset.rules for preset in PRESETS.values()]
    return presets + [random_rules(generator) for _ in range(RULES_DRAWN - len(presets))]


def test_the_rules_drawn_have_every_value_of_every_option() -> None:
    for name in OPTIONS:
        values = {str(getattr(rules, name)) for rules in drawn_rules()}
        assert len(values) == len(option_values(name)), name


def test_matches_under_any_rules() -> None:
    """More than ten thousand matches; every decision of each is checked."""
    generator = random.Random(21)
    for number, rules in enumerate(drawn_rules()):
        for match in range(MATCHES_EACH):
            checked_match(rules, random_dice(generator, rules), number * MATCHES_EACH + match)


def test_random_play_leaves_a_settled_round_alone() -> None:
    for notation in ("common 22/33 B 4x2", "uk 22/33/44 B 4x2", "perudish2 22/33 B 4x2"):
        settled = position(notation).apply("dudo").record
        for finish in (finish_round_randomly, step_round_randomly):
            record = settled.copy()
            assert finish(record, stream_of(1)) == 0
            assert record.tobytes() == settled.tobytes()


# --- the longest rounds --------------------------------------------------------------------------
LONG_RULES = (
    "official:max_players=10,dice=8,cap_bids_at_total=no",
    "official:max_players=10,dice=8,cap_bids_at_total=no,consecutive_pass=yes,pass_on_opening=yes",
    "common_aces:dice=8",
    "common_aces:dice=8,cap_bids_at_total=no,ace_opening=yes,enable_pass=yes",
    "common_aces:dice=8,raise_rule=neither_falls,ace_opening=yes",
    "common_aces:dice=8,ace_rank=below_double,ace_opening=yes,enable_pass=yes",
    "dudo_ai:max_players=10,dice=8,cap_bids_at_total=no",
    "dudo_ai:max_players=10,dice=8,wild=none,enable_pass=yes",
    "openspiel:dice=8,cap_bids_at_total=no",
    "common:dice=8,cap_bids_at_total=no,enable_pass=yes",
)


@kernel
def bid_order(code: int, ones_first: bool) -> int:
    """A low number for a low bid; ones before all others, or as high as twice as many sixes."""
    quantity, face = quantity_of(code), face_of(code)
    if face == 1:
        return quantity if ones_first else 2 * quantity * FIRST_BID_CODE + FIRST_BID_CODE - 1
    return code + (MAX_QUANTITY if ones_first else 0)


@kernel
def play_long_round(state: Record, ones_between: bool) -> int:
    """Pass if possible, else the lowest raise, until no more can be said; returns how much was.

    With ``ones_between`` every bid on another face is followed by one on ones if possible.
    """
    while True:
        lowest, best = 0, 1 << 30
        ones_first = ones_between and face_of(state.bid) > 1
        for index in range(action_count(state)):
            code = action(state, index)
            if code == PASS:
                lowest = code
                break
            if code >= FIRST_BID_CODE and bid_order(code, ones_first) < best:
                lowest, best = code, bid_order(code, ones_first)
        if lowest == 0:
            return int(state.actions)
        apply(state, lowest)
        while state.pending >= 0:
            apply(state, action(state, 1))


@pytest.mark.parametrize("text", LONG_RULES)
def test_the_longest_rounds_fit_into_the_history(text: str) -> None:
    rules = Rules.parse(text)
    dice = [rules.dice] * (rules.max_players - 1) + [5]
    lengths = []
    for ones_between in (False, True):
        record = PERUDO.start(rules, len(dice), dice).deal(1).record
        lengths.append(play_long_round(record, ones_between))
        assert lengths[-1] == record.actions == np.count_nonzero(record.history)
    assert 60 < max(lengths) <= MAX_HISTORY


@kernel
def longest_chain(state: Record, made: npt.NDArray[np.int64]) -> int:
    """The most bids that can follow each other in a round, or -1 if they could go on for ever.

    ``made[p, n]`` is the most bids after which the last bid on another face was the p-th in the
    order of quantity and face (0 for none) and n ones stand (0 for another face); -1 if that
    cannot be. Bidding ends because p rises, or else n.
    """
    plain = FACES - 1
    most = 0
    made[:, :] = -1
    made[0, 0] = 0
    for place in range(MAX_QUANTITY * plain + 1):
        last = bid_code((place - 1) // plain + 1, (place - 1) % plain + 2) if place > 0 else 0
        for ones in range(MAX_QUANTITY + 1):
            if made[place, ones] < 0:
                continue
            most = max(most, made[place, ones])
            state.plain_bid = last
            state.bid = bid_code(ones, 1) if ones > 0 else last
            for face in range(1, FACES + 1):
                low, high = bid_range(state, face)
                for quantity in range(low, high + 1):
                    to_place = place if face == 1 else (quantity - 1) * plain + face - 1
                    to_ones = quantity if face == 1 else 0
                    if to_place < place or (to_place == place and to_ones <= ones):
                        return -1
                    made[to_place, to_ones] = max(made[to_place, to_ones], made[place, ones] + 1)
    return most


@pytest.mark.parametrize("raise_rule", option_values("raise_rule"))
@pytest.mark.parametrize(
    ("options", "length"),
    [
        ("ace_rank=above_double", 480),
        ("ace_rank=above_double,ace_exit_plus_one=no", 680),
        ("ace_rank=below_double", 480),
        ("ace_rank=lowest", 480),
        ("ace_rank=not_biddable,ace_opening=no", 400),
    ],
)
def test_no_chain_of_bids_is_too_long_for_the_history(
    options: str, length: int, raise_rule: str
) -> None:
    """Any bids at all, not only the lowest; everybody may pass once besides."""
    rules = f"official:cap_bids_at_total=no,ace_opening=yes,{options},raise_rule={raise_rule}"
    record = position(f"{rules} 22/33 A -").record
    made = np.zeros((MAX_QUANTITY * (FACES - 1) + 1, MAX_QUANTITY + 1), np.int64)
    longest = longest_chain(record, made)
    assert 0 < longest <= MAX_HISTORY - MAX_PLAYERS
    if raise_rule == "any_face":
        assert longest == length


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


# --- dice ----------------------------------------------------------------------------------------
def check_uniform(counts: list[int]) -> None:
    """Each count within some standard deviations of an equal share."""
    total, share = sum(counts), 1 / len(counts)
    sigma = (total * share * (1 - share)) ** 0.5
    for count in counts:
        assert abs(count - total * share) < SIGMAS * sigma


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


# --- compiled, interpreted, warm -----------------------------------------------------------------
FINGERPRINTED = (
    "official",
    "s0_sim",
    "common",
    "common_aces",
    "common_palafico",
    "asmodee",
    "wikipedia",
    "openspiel",
    "official:palafico=declared,two_player_palafico=full,loss=difference,calza_after_pass=yes",
    "official:dice=8,consecutive_pass=yes,pass_on_opening=yes,calza_reward=die_and_others_lose",
    "dudo_ai:max_players=10,start_mode=random,exact_bid_doubted=all_others_lose",
)


def fingerprint() -> str:
    """A hash of every state of some matches, with all that the operations say about each."""
    digest = hashlib.sha256()
    operations = PERUDO.operations
    for number, text in enumerate(FINGERPRINTED):
        rules = Rules.parse(text)
        players = min(rules.max_players, 2 + number % 3)
        state = PERUDO.start(rules, players)
        stream, key = stream_of(number), key_of(number, 1)
        record = state.record
        while operations.actor(record) != OVER:
            if operations.actor(record) == CHANCE:
                other = record.copy()
                operations.chance_outcome(other, 12345)
                digest.update(other.tobytes())
                operations.deal(record, key)
            seat = int(operations.actor(record))
            other = record.copy()
            operations.redeal(other, seat, stream)
            digest.update(other.tobytes())
            operations.copy(other, record)
            operations.observe(other, seat)
            digest.update(other.tobytes())
            digest.update(b"%d" % int(operations.information_key(record, seat)))
            count = int(operations.action_count(record))
            code = int(operations.action(record, int(below(stream, count))))
            digest.update(b"%d %d %d" % (count, code, operations.refusal(record, code + 1)))
            operations.apply(record, code)
            digest.update(record.tobytes())
            if operations.round_over(record):
                for place in range(players):
                    digest.update(b"%.6f" % operations.payoff(record, ROUND, place))
        digest.update(b"%.6f" % operations.payoff(record, MATCH, 0))
        digest.update(state.deal(5).notation.encode())
        for horizon in (ROUND, MATCH):
            states = np.zeros(2, STATE_DTYPE)
            states[0] = state.record
            digest.update(b"%d" % random_games(states, horizon, 2, key, stream))
            digest.update(states.tobytes())
        small = PERUDO.start(rules, players, [1] * players)
        digest.update(b"%d" % int(operations.chance_count(small.record)))
    return digest.hexdigest()


def fingerprint_of_another_process(**environment: str) -> str:
    """Run this file as a program."""
    paths = os.pathsep.join(path for path in sys.path if path)
    result = subprocess.run(
        [sys.executable, str(Path(__file__).resolve())],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_interpreted_play_is_the_same() -> None:
    other = "0" if INTERPRETED else "1"
    assert fingerprint() == fingerprint_of_another_process(NUMBA_DISABLE_JIT=other)


def test_a_second_process_runs_the_kernels_that_the_first_compiled() -> None:
    """Loading machine code from the cache is a path of its own."""
    assert fingerprint() == fingerprint_of_another_process()


if __name__ == "__main__":
    print(fingerprint())
