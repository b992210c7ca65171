"""Invariants of matches under any rules, at every decision, and in the longest rounds."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings

from perudo.games.chance import Stream, below, key_of, stream_of
from perudo.games.kernel import kernel
from perudo.games.operations import (
    CHANCE,
    OVER,
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
    step_round_randomly,
)
from perudo.games.perudo import (
    OPTIONS,
    PERUDO,
    PRESETS,
    PerudoState,
    Rules,
    position,
)
from perudo.games.perudo.bidding import bid_range
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
from perudo.games.perudo.rules import FACES, MAX_PLAYERS, MAX_QUANTITY, option_values
from strategies import random_dice, random_rules

MANY = settings(max_examples=120, deadline=None, derandomize=True)


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
