"""King UP: its record, its deals, and what is hidden from whom."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from king_up_positions import LARGE, play, position, random_state, start
from perudo.games.chance import key_of, stream_of
from perudo.games.errors import (
    PerudoError,
)
from perudo.games.game import State, game_named
from perudo.games.kernel import INTERPRETED
from perudo.games.king_up import KING_UP, PIECES
from perudo.games.king_up.layout import NO, YES
from perudo.games.operations import SPECTATOR


# --- the record ---------------------------------------------------------------------------------
def test_the_game_is_registered() -> None:
    """By name, with honest properties."""
    assert game_named("king_up") is KING_UP
    assert KING_UP.properties.hidden_moves
    assert KING_UP.properties.chance
    assert not KING_UP.properties.zero_sum


def test_numbers_in_the_record_are_signed_but_for_hashes() -> None:
    """In a kernel an unsigned and a signed number make a float."""

    def leaves(dtype: np.dtype[Any]) -> list[np.dtype[Any]]:
        if dtype.fields is None:
            return [dtype.base]
        return [leaf for part, *_ in dtype.fields.values() for leaf in leaves(part)]

    assert {leaf.kind for leaf in leaves(KING_UP.dtype) if leaf.itemsize < 8} == {"i"}


def test_unused_places_stay_zero() -> None:
    """Equal states are equal in bytes, so nothing may be left behind."""
    state = start("thesis_match").deal(1)
    chance = random.Random(1)
    while not state.over:
        record = state.record
        assert not record.levels[7:].any()
        assert not record.filled[6:].any()
        for name in ("vote_cards", "revealed", "scores", "totals", "cards", "votes"):
            assert not record[name][3:].any()
        if state.awaits_deal:
            state = state.deal(1)
        else:
            state = state.apply(chance.choice(state.legal_actions.codes))


# --- chance -------------------------------------------------------------------------------------
def all_deals(state: State) -> list[tuple[str | None, ...]]:
    """The target cards of every outcome of chance."""
    deals = []
    for index in range(int(KING_UP.operations.chance_count(state.record))):
        record = state.record
        KING_UP.operations.chance_outcome(record, index)
        deals.append(tuple(KING_UP.format_deal(record)["targets"]))
    return deals


def test_windows_deck() -> None:
    """Seven cards, the windows of four in the cycle A to G, dealt without replacement."""
    cards = {"".join(sorted((PIECES[:7] * 2)[first : first + 4])) for first in range(7)}
    deals = all_deals(start())
    assert len(deals) == 7 * 6 * 5
    assert set(deals) == set(permutations(cards, 3))


def test_deck_of_all_sets() -> None:
    """All sets of two out of five."""
    cards = {"".join(pair) for pair in combinations("ABCDE", 2)}
    deals = all_deals(start("thesis:deck=all,pieces_num=5,target_num=2"))
    assert len(deals) == 10 * 9 * 8
    assert set(deals) == set(permutations(cards, 3))


def test_ordered_deals_fit_a_number() -> None:
    """The largest deck and the most players do not overflow."""
    state = start("thesis:pieces_num=12,target_num=6,deck=all", 6)
    count = 924 * 923 * 922 * 921 * 920 * 919
    assert int(KING_UP.operations.chance_count(state.record)) == count
    record = state.record
    KING_UP.operations.chance_outcome(record, count - 1)
    assert record.cards.tolist() == [924, 923, 922, 921, 920, 919]


def test_a_deal_belongs_to_its_key_and_round() -> None:
    """The same key deals the same cards, and other cards in other rounds."""
    state = start("thesis_match")
    assert state.deal(5) == state.deal(5)
    record = state.record
    record.round_number = 1
    deals = [KING_UP.format_deal(state.deal(key).record)["targets"] for key in range(20)]
    later = [KING_UP.format_deal(State(record).deal(key).record)["targets"] for key in range(20)]
    assert deals != later


def test_keys_deal_evenly() -> None:
    """Every seat gets every card about equally often, and no two the same."""
    deals = 700 if INTERPRETED else 7000
    counts: Counter[tuple[int, int]] = Counter()
    record = start().record
    for index in range(deals):
        dealt = record.copy()
        KING_UP.operations.deal(dealt, key_of(3, index))
        assert len(set(dealt.cards[:3].tolist())) == 3
        counts.update(enumerate(dealt.cards[:3].tolist()))
    expected = deals / 7
    assert set(counts) == {(seat, card) for seat in range(3) for card in range(1, 8)}
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


@pytest.mark.parametrize("text", ["thesis", "real", "tiny", LARGE])
def test_a_deal_is_written_and_replayed(text: str) -> None:
    """Through JSON and back, to the same bytes."""
    state = start(text)
    for key in range(20):
        dealt = state.deal(key)
        written = json.loads(json.dumps(KING_UP.format_deal(dealt.record)))
        record = state.record
        KING_UP.replay_deal(record, written)
        assert State(record) == dealt


def test_an_observed_deal_shows_and_replays_only_the_own_card() -> None:
    """The others' cards are null, and need not be known to follow the round."""
    dealt = start().deal(4)
    targets = KING_UP.format_deal(dealt.record)["targets"]
    seen = KING_UP.format_deal(dealt.observe(1).record)
    assert seen == {"round": 1, "targets": [None, targets[1], None]}
    assert KING_UP.deal_text(seen) == f"1. -/{targets[1]}/-"
    record = start().observe(1).record
    KING_UP.replay_deal(record, seen)
    assert State(record) == dealt.observe(1)
    assert KING_UP.format_deal(dealt.observe(SPECTATOR).record)["targets"] == [None] * 3


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({}, "list of 3 cards"),
        ({"targets": "ABCD"}, "list of 3 cards"),
        ({"targets": ["ABCD", "BCDE"]}, "list of 3 cards"),
        ({"targets": ["ABCD", "BCDE", "ACEG"]}, "'ACEG' is not a target card here"),
        ({"targets": ["ABCD", "BCDE", None]}, "None is not a target card here"),
        ({"targets": ["ABCD", "BCDE", "ABCD"]}, "two seats the same card"),
    ],
)
def test_malformed_deals(written: Any, message: str) -> None:
    """What cannot be dealt is refused and changes nothing."""
    record = start().record
    with pytest.raises(PerudoError, match=message):
        KING_UP.replay_deal(record, written)
    assert State(record) == start()


def test_no_deal_within_a_round() -> None:
    """Cards are dealt only between rounds."""
    state = start().deal(1)
    with pytest.raises(PerudoError, match="no target cards"):
        KING_UP.replay_deal(state.record, KING_UP.format_deal(state.record))


# --- what is hidden -----------------------------------------------------------------------------
def test_votes_are_hidden_until_all_have_voted() -> None:
    """Others see who has voted, but not what; the voter sees its own vote."""
    voting = position("A4 B0").apply("move A")
    yes, no = voting.apply("yes"), voting.apply("no")
    assert yes.observe(1) == no.observe(1)
    assert yes.observe(SPECTATOR) == no.observe(SPECTATOR)
    assert yes.observe(0) != no.observe(0)
    assert yes.observe(1).record.voted == 1
    assert no.observe(1).record.vote_cards[0] == 1
    assert "A: targets not known, vote cards 1, total 0, has voted" in str(no.observe(1))
    both = [play(state, "yes", "yes") for state in (yes, no)]
    assert both[0].observe(1) != both[1].observe(1)
    assert both[1].observe(1).record.revealed[:3].tolist() == [NO, YES, YES]


def test_hidden_votes_do_not_change_what_others_know() -> None:
    """Nor the information key of the seat that votes next; their own vote changes it."""
    key = KING_UP.operations.information_key
    voting = position("A4 B0").apply("move A")
    yes, no = voting.apply("yes").record, voting.apply("no").record
    assert [key(yes, seat) == key(no, seat) for seat in (SPECTATOR, 0, 1, 2)] == [
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("text", ["thesis", "real", LARGE])
def test_observations_do_not_depend_on_what_is_hidden(text: str) -> None:
    """Dealing the hidden part again changes no observation and no key of that seat."""
    operations = KING_UP.operations
    changed = 0
    stream = stream_of(8)
    for seed in range(4 if INTERPRETED else 40):
        state = random_state(seed, text)
        for seat in (SPECTATOR, 0, 1, 2):
            record = state.record
            operations.redeal(record, seat, stream)
            other = State(record)
            assert other.observe(seat) == state.observe(seat)
            assert operations.information_key(record, seat) == operations.information_key(
                state.record, seat
            )
            assert operations.information_key(
                state.observe(seat).record, seat
            ) == operations.information_key(state.record, seat)
            assert len(set(record.cards[:3].tolist())) == 3
            changed += other != state
    assert changed > 0


def test_keys_tell_histories_apart() -> None:
    """The order of moves, votes that were revealed, the totals and the starter are all known."""

    def key(state: State) -> int:
        return int(KING_UP.operations.information_key(state.record, 0))

    dealt = start().deal(1)
    placed = [
        play(dealt, "place A 0", "place B 1"),
        play(dealt, "place B 1", "place A 0"),
        play(dealt, "place A 1", "place B 0"),
    ]
    assert len({key(state) for state in placed}) == 3
    ended = [
        play(position("A4 B0", vote_cards=(2, 2, 2)).apply("move A"), *votes.split())
        for votes in ("no yes yes", "yes no yes", "no no yes")
    ]
    equal = [state.record for state in ended]
    for record in equal:
        record.vote_cards[:] = 0
    assert len({key(State(record)) for record in equal}) == 3
    later = []
    for totals, turn in (((1, 2, 3), 0), ((1, 2, 4), 0), ((1, 2, 3), 1)):
        record = start("thesis_match").record
        record.totals[:3], record.turn, record.round_number = totals, turn, 1
        later.append(State(record).deal(1))
    assert len({key(state) for state in later}) == 3


def test_a_new_round_forgets_the_last() -> None:
    """Board, votes and scores are cleared; only totals and the starter stay."""
    state = play(position("A4 B0", text="thesis_match").apply("move A"), "yes", "yes", "yes")
    record = state.deal(1).record
    assert record.totals[:3].tolist() == [10, 15, 15]
    assert record.turn == 0
    for name in ("revealed", "scores", "filled", "votes", "placed", "voted"):
        assert not np.any(record[name])


def test_redeal_is_even_over_what_a_seat_cannot_know() -> None:
    """Seat B keeps its card and vote; A may have voted no, C's vote can only have been yes."""
    deals = 2400 if INTERPRETED else 6000
    voting = position("A4 B0", "ABCD BCDE CDEF ABFG", vote_cards=(1, 1, 0, 1)).apply("move A")
    state = play(voting, "yes", "no", "yes").record
    stream = stream_of(5)
    cards: Counter[tuple[int, ...]] = Counter()
    votes: Counter[tuple[int, ...]] = Counter()
    for _ in range(deals):
        record = state.copy()
        KING_UP.operations.redeal(record, 1, stream)
        assert record.cards[1] == state.cards[1]
        cards[tuple(record.cards[:4].tolist())] += 1
        votes[tuple(record.votes[:4].tolist())] += 1
    assert set(votes) == {(YES, NO, YES, 0), (NO, NO, YES, 0)}
    assert len(cards) == 6 * 5 * 4
    for counts in (cards, votes):
        expected = deals / len(counts)
        assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


def test_targets_are_public_once_the_round_is_scored() -> None:
    """Until the next deal; then nothing is left to be dealt again."""
    state = position("A4 B0", text="thesis_match").apply("move A")
    state = play(state, "yes", "yes", "yes")
    for seat in (SPECTATOR, 0, 1, 2):
        seen = state.observe(seat)
        assert KING_UP.format_deal(seen.record)["targets"] == ["ABCD", "BCDE", "CDEF"]
        record = state.record
        KING_UP.operations.redeal(record, seat, stream_of(1))
        assert State(record) == state
    assert KING_UP.format_deal(state.deal(1).observe(0).record)["targets"][1:] == [None, None]
