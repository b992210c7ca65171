"""Going back to the start of a round, forgetting it, and knowing hands and positions by number."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.games.chance import stream_of
from perudo.games.game import State
from perudo.games.operations import ARRIVED
from perudo.games.perudo import PERUDO
from perudo.games.perudo.rules import PRESETS

OPERATIONS = PERUDO.operations
VARIANTS = [
    *PRESETS,
    "official:palafico=declared",
    "official:enable_pass=yes,calza_who=any_but_bidder",
]


def play_on(state: State, luck: np.random.Generator) -> State:
    """One random action, or a deal."""
    if state.awaits_deal:
        return state.deal(int(luck.integers(2**63)))
    # Low bids mostly, so that rounds last.
    codes = state.legal_actions.codes
    return state.apply(codes[min(int(luck.exponential(3)), len(codes) - 1)])


def positions(setting: str, players: int, count: int, seed: int) -> list[State]:
    """Decisions of random games."""
    luck = np.random.default_rng(seed)
    found: list[State] = []
    state: State = PERUDO.start(PERUDO.setting(setting), players)
    while len(found) < count:
        state = play_on(state, luck)
        if state.over:
            state = PERUDO.start(PERUDO.setting(setting), players)
        elif state.actor is not None:
            found.append(state)
    return found


@pytest.mark.parametrize("setting", VARIANTS)
def test_a_rewound_round_is_replayed_to_the_same_position(setting: str) -> None:
    """The moves lead there and no further.

    What is offered is worked out anew: only its result is
    compared, since numbers that an offer does not use are left as they were.
    """
    rules = PERUDO.setting(setting)
    for target in positions(setting, min(3, rules.max_players), 150, 1):
        record = target.record
        assert OPERATIONS.rewind(record)
        assert record.actions == 0
        assert record.bid == 0
        while (move := int(OPERATIONS.move_towards(record, target.record))) != ARRIVED:
            assert OPERATIONS.refusal(record, move) == 0
            OPERATIONS.apply(record, move)
        assert State(record).legal_actions.codes == target.legal_actions.codes
        record.offer = target.record.offer
        assert record.tobytes() == target.record.tobytes()


def test_hands_are_listed_once_with_their_chances() -> None:
    """252 hands of five dice; what is dealt appears as often as its chance says."""
    state = PERUDO.start(PERUDO.setting("official"), 2).deal(1)
    record = state.record
    count = int(OPERATIONS.hand_count(record, 0))
    chances = {}
    for index in range(count):
        chance = OPERATIONS.put_hand(record, 0, index)
        chances[int(record.hands[0])] = chance
    assert count == len(chances) == 252
    assert sum(chances.values()) == pytest.approx(1.0)
    stream, dealt = stream_of(5), np.zeros(3)
    likeliest = sorted(chances, key=lambda hand: -chances[hand])[:3]
    for _ in range(4000):
        OPERATIONS.redeal(record, 1, stream)
        for place, hand in enumerate(likeliest):
            dealt[place] += int(record.hands[0]) == hand
    expected = 4000 * np.array([chances[hand] for hand in likeliest])
    assert np.all(np.abs(dealt - expected) < 5 * np.sqrt(expected))


@pytest.mark.parametrize("setting", ["common", "official", "uk", "dudo_ai"])
@pytest.mark.parametrize("moves", [1, 2])
def test_positions_of_one_memory_key_go_on_alike(setting: str, moves: int) -> None:
    """Equal keys: the same player, the same actions, the same last moves."""
    seen: dict[int, tuple[object, ...]] = {}
    met = 0
    rules = PERUDO.setting(setting)
    for seed in range(12):
        luck = np.random.default_rng(seed)
        state: State = PERUDO.start(rules, 2, dice=[2, 2], opener=0).deal(seed)
        while state.actor is not None:
            record = state.record
            last = int(record.actions)
            recent = record.history[max(last - moves, 0) : last].tolist()
            what = (state.actor, tuple(state.legal_actions.codes), tuple(recent))
            key = int(OPERATIONS.memory_key(record, moves))
            met += key in seen
            assert seen.setdefault(key, what) == what
            state = play_on(state, luck)
    assert met >= 12
    assert len(set(seen.values())) == len(seen)


def test_a_forgotten_round_leaves_what_the_match_needs() -> None:
    """Equal standings reached by different rounds are equal records, and are played on alike."""
    rules = PERUDO.setting("official")
    ends = set()
    for bids in (["1x2", "dudo"], ["1x2", "1x3", "2x3", "dudo"]):
        for seed in range(40):
            state: State = PERUDO.start(rules, 2, dice=[3, 3], opener=0).deal(seed)
            for bid in bids:
                state = state.apply(bid)
            record = state.record
            OPERATIONS.forget_round(record)
            ends.add((tuple(record.counts[:2].tolist()), int(record.opener), record.tobytes()))
    assert len(ends) == 2  # either of them has lost a die, and opens
    for counts, opener, content in ends:
        fresh = PERUDO.start(rules, 2, dice=list(counts), opener=opener)
        assert fresh.record.tobytes() == content
