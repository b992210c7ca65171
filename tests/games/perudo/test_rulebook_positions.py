"""Twelve positions with the answers that rule-books give. Rules `uk` unless another is named."""

from __future__ import annotations

import numpy as np
import pytest

from perudo.games.perudo import PERUDO, Outcome, PerudoState, Rules, position
from perudo.games.perudo.rolling import die

TWENTY = "22222/33333/44444/55555"


def legal(notation: str) -> str:
    """Return the legal actions as text, bids as ranges of quantities."""
    return str(position(notation).legal_actions)


def outcome_of(state: PerudoState) -> Outcome:
    """Return the outcome of the last round."""
    assert state.outcome is not None
    return state.outcome


def test_position_1_raising_six_fives() -> None:
    state = position(f"uk {TWENTY} B 6x5")
    assert str(state.legal_actions) == "3-20x1, 7-20x2, 7-20x3, 7-20x4, 7-20x5, 6-20x6, dudo"
    for bid in ("6x4", "6x5", "2x1"):
        assert bid not in state.legal_actions
    restricted = position(f"asmodee {TWENTY} B 6x5")
    for bid in ("7x2", "7x6"):
        assert bid not in restricted.legal_actions
    for bid in ("7x5", "6x6", "3x1"):
        assert bid in restricted.legal_actions


def test_position_2_half_rounded_up() -> None:
    seven = position(f"uk {TWENTY} B 7x3")
    assert "4x1" in seven.legal_actions
    assert "3x1" not in seven.legal_actions
    eight = position(f"uk {TWENTY} B 8x3")
    assert "4x1" in eight.legal_actions


def test_position_3_back_from_four_ones() -> None:
    state = position(f"uk {TWENTY} C 8x6,4x1")
    for bid in ("5x1", "9x2"):
        assert bid in state.legal_actions
    for bid in ("8x6", "4x1"):
        assert bid not in state.legal_actions


def test_position_4_an_ordinary_opening() -> None:
    state = position(f"uk {TWENTY} A -")
    assert "1x2" in state.legal_actions
    for action in ("1x1", "dudo", "calza"):
        assert action not in state.legal_actions


def test_position_4_only_the_two_sixes_roll_again() -> None:
    def rolls(key: int, attempt: int) -> list[int]:
        return [int(die(np.uint64(key), 0, seat, attempt)) for seat in range(4)]

    keys = [key for key in range(30_000) if rolls(key, 0) == [6, 6, 3, 5]]
    assert len(keys) > 10
    for key in keys:
        attempt = 1
        while rolls(key, attempt)[0] == rolls(key, attempt)[1]:
            attempt += 1
        first, second, *_ = rolls(key, attempt)
        opener = PERUDO.start(Rules.parse("uk"), 4).deal(key).opener
        assert opener == (0 if first > second else 1)


def test_position_5_the_highest_bids() -> None:
    ten = "222/333/44/55"
    state = position(f"uk {ten} B 10x6")
    assert "11x2" not in state.legal_actions
    assert str(state.legal_actions) == "5-10x1, dudo"
    assert legal(f"uk {ten} C 10x6,10x1") == "dudo"


@pytest.mark.parametrize(
    ("bids", "count", "loser"), [("5x4", 5, "C"), ("5x4,3x1", 3, "A"), ("5x4,4x1", 3, "C")]
)
def test_position_6_counting(bids: str, count: int, loser: str) -> None:
    """The last bidder is seat B in the first line and C in the others."""
    turn = "C" if bids == "5x4" else "A"
    outcome = outcome_of(position(f"uk 11246/334/1 {turn} {bids}").apply("dudo"))
    assert outcome.count == count
    assert outcome.losers == ("ABC".index(loser),)


def test_position_7_who_opens_when_the_loser_is_out() -> None:
    right = position("uk 22/33/4/55 D 3x6").apply("dudo")
    assert outcome_of(right).lost == (0, 0, 1, 0)
    assert (right.dice_counts, right.opener) == ((2, 2, 0, 2), 3)
    wrong = position("uk 22/33/44/5 D 2x4").apply("dudo")
    assert outcome_of(wrong).lost == (0, 0, 0, 1)
    assert (wrong.dice_counts, wrong.opener) == ((2, 2, 2, 0), 0)


@pytest.mark.parametrize(
    ("hands", "bid", "counts"),
    [
        ("22222/33333/444/55555", "3x4", (5, 5, 4, 5)),
        ("22222/33333/444/55555", "2x4", (5, 5, 2, 5)),
        ("22222/33333/444/55555", "9x4", (5, 5, 2, 5)),
        ("22222/33333/44445/55555", "4x4", (5, 5, 5, 5)),
    ],
)
def test_position_8_calza_by_the_others(hands: str, bid: str, counts: tuple[int, ...]) -> None:
    state = position(f"uk {hands} A -").apply(bid)
    asked = []
    while state.actor != 1:
        asked.append(state.actor)
        if state.actor == 2:
            settled = state.apply("calza")
        state = state.apply("decline")
    assert asked == [2, 3]
    assert "calza" not in state.legal_actions
    assert settled.dice_counts == counts
    assert settled.opener == 2


def test_position_9_a_failed_calza_from_two_dice_to_one() -> None:
    state = position("uk 222/333/44/555 B+C 9x6").apply("calza")
    assert (state.dice_counts, state.opener) == ((3, 3, 1, 3), 2)
    rolled = state.deal(1)
    assert (rolled.palafico, rolled.turn) == (2, 2)


def test_position_9_a_failed_calza_from_one_die_to_none() -> None:
    state = position("uk 222/333/4/555 B+C 9x6").apply("calza")
    assert (state.dice_counts, state.opener) == ((3, 3, 0, 3), 3)


def test_position_10_palafico() -> None:
    """P is seat A, Q is B, and R is C, who has been palafico earlier."""
    hands, flags = "1/114/4", "palafico=A been=AC"
    assert "1x1" in position(f"uk {hands} A - {flags}").legal_actions
    assert legal(f"uk {hands} B 1x1 {flags}") == "2-5x1, dudo"
    assert "2x4" in position(f"uk {hands} C 1x1,2x1 {flags}").legal_actions
    assert "2x4" not in position(f"asmodee {hands} C 1x1,2x1 {flags}").legal_actions

    state = position(f"uk {hands} A 1x1,2x1,2x4 {flags}").apply("dudo")
    assert outcome_of(state).count == 2
    assert (state.dice_counts, state.opener) == ((0, 3, 1), 1)

    wild = "uk:palafico_aces_wild=yes,ace_rank=lowest"
    counted = position(f"{wild} {hands} A 1x1,2x1,2x4 {flags}").apply("dudo")
    assert outcome_of(counted).count == 5


def test_position_11_two_players_left_and_one_falls_to_one_die() -> None:
    state = position("uk 22/333/- B 5x6").apply("dudo").deal(1)
    assert (state.dice_counts, state.opener, state.been_palafico) == ((1, 3, 0), 0, (0,))
    assert str(state.legal_actions) == "1-4x2, 1-4x3, 1-4x4, 1-4x5, 1-4x6"
    raised = state.apply("2x3")
    assert str(raised.legal_actions) == "1-4x1, 3-4x2, 3-4x3, 2-4x4, 2-4x5, 2-4x6, dudo"


def test_position_12_down_to_one_die_for_the_second_time() -> None:
    state = position("uk 2/333/444 C+A 3x3 been=A round=7").apply("calza")
    assert (state.dice_counts, state.opener) == ((2, 3, 3), 0)
    state = state.deal(1).apply("8x6").apply("decline").apply("dudo")
    assert (state.dice_counts, state.opener) == ((1, 3, 3), 0)
    rolled = state.deal(2)
    assert (rolled.palafico, rolled.turn, rolled.wild_face) == (None, 0, 1)
    assert "1x1" not in rolled.legal_actions
