"""Part 11 of docs/rules.md: positions from their notation and from their parts."""

from __future__ import annotations

from typing import Any

import pytest

from perudo.games.errors import PerudoError, PositionError, RulesError
from perudo.games.operations import EVERYTHING, SPECTATOR
from perudo.games.perudo import Bid, Rules, position


@pytest.mark.parametrize(
    "notation",
    [
        "uk 11246/334/1 C 4x4,5x4",
        "official 11246/?????/? C+A 3x4,4x4",
        "official 1/114/4 B 1x1 palafico=A been=AC round=9",
        "official ?????/?????/?? B 3x4",
        "official ...../...../.. - -",
        "official ...../.../- B - round=3",
        "official ./.../.. A - due=A been=A round=3",
        "official:palafico=declared 2/334/45 A - due=A been=A round=3",
        "official:two_player_palafico=nonwild_trigger 2/334 A - wild=no been=A round=3",
        "official -/../- - - winner=B round=12",
        "perudish2 ../.. - - winner=B",
        "official:dice=3,calza=no 123/456 B 2x2",
    ],
)
def test_notation_reads_back(notation: str) -> None:
    assert position(notation).notation == notation


def test_the_first_example() -> None:
    state = position("uk 11246/334/1 C 4x4,5x4")
    assert state.rules == Rules.preset("uk")
    assert [state.hand(seat) for seat in range(3)] == ["11246", "334", "1"]
    assert (state.turn, state.actor, state.opener) == (2, 2, 0)
    assert (state.bid, state.bidder) == (Bid(5, 4), 1)
    assert state.history == ((0, Bid(4, 4)), (1, Bid(5, 4)))
    assert (state.round, state.viewer, state.palafico) == (1, EVERYTHING, None)


def test_the_second_example() -> None:
    state = position("official 11246/?????/? C+A 3x4,4x4")
    assert (state.viewer, state.dice_counts) == (0, (5, 5, 1))
    assert [state.hand(seat) for seat in range(3)] == ["11246", None, None]
    assert (state.turn, state.actor, state.bidder) == (2, 0, 1)
    assert str(state.legal_actions) == "calza, decline"


def test_the_third_example() -> None:
    state = position("official 1/114/4 B 1x1 palafico=A been=AC round=9")
    assert (state.palafico, state.been_palafico, state.round) == (0, (0, 2), 9)
    assert (state.wild_face, state.opener) == (None, 0)


def test_all_hands_unseen_is_a_spectators_view() -> None:
    assert position("official ?????/??? A -").viewer == SPECTATOR


def test_before_a_roll() -> None:
    undecided = position("official ...../..... - -")
    assert (undecided.awaits_deal, undecided.opener, undecided.round) == (True, None, 0)
    decided = position("official ...../.../- B - round=3")
    assert (decided.opener, decided.round, decided.dice_counts) == (1, 3, (5, 3, 0))
    rolled = decided.deal(1)
    assert (rolled.turn, rolled.round) == (1, 4)


def test_a_palafico_that_is_due() -> None:
    waiting = position("official ./.../.. A - due=A been=A round=3")
    assert waiting.deal(1).palafico == 0
    assert position("official ./.../.. A - been=A round=3").deal(1).palafico is None


def test_who_is_newly_down_to_one_die_has_been_palafico() -> None:
    for notation in (
        "official 1/114/4 A - palafico=A",
        "official ./.../. A - due=A",
        "official:palafico=declared 1/114/4 A - due=A",
    ):
        assert position(notation).been_palafico == (0,)


def test_a_declared_palafico_is_the_same_position_played_or_set_up() -> None:
    rules = "official:palafico=declared"
    played = position(f"{rules} 1/114/4 A - due=A been=A").apply("palafico")
    assert played.notation == f"{rules} 1/114/4 A - palafico=A been=A"
    assert position(played.notation) == played


def test_when_it_is_over() -> None:
    state = position("official -/../- - - winner=B round=12")
    assert (state.over, state.winner, state.round) == (True, 1, 12)
    assert state.dice_counts == (0, 2, 0)
    assert state.payoffs() == (-0.5, 1.0, -0.5)


def test_who_opened_follows_from_the_turn_and_what_has_been_said() -> None:
    state = position("common 22/-/33/44 C 1x2,1x3,1x4,1x5")
    assert [seat for seat, _ in state.history] == [0, 2, 3, 0]
    state = position("official 22/33333/-/44 D 3x2,pass")
    assert [(seat, str(action)) for seat, action in state.history] == [(0, "3x2"), (1, "pass")]


def test_unless_somebody_is_asked_all_have_declined() -> None:
    assert position("official 22222/33333/44444/55555 B 3x2").actor == 1
    assert position("official 22222/33333/44444/55555 B+C 3x2").actor == 2
    assert position("official 22222/33333/44444/55555 B+D 3x2").actor == 3


def test_hands_may_be_in_any_order() -> None:
    assert position("uk 64211/433/1 A -") == position("uk 11246/334/1 A -")


def test_the_same_from_its_parts() -> None:
    by_parts = position("uk", ["41126", "433", "1"], turn="C", bids=["4x4", "5x4"])
    assert by_parts == position("uk 11246/334/1 C 4x4,5x4")
    by_values = position(
        Rules.preset("uk"), [[4, 1, 1, 2, 6], (4, 3, 3), "1"], turn=2, bids=[Bid(4, 4), Bid(5, 4)]
    )
    assert by_values == by_parts


def test_parts_for_one_seats_view() -> None:
    by_parts = position("official", ["11246", 5, "?"], turn="C", bids=["3x4", "4x4"], asked="A")
    assert by_parts == position("official 11246/?????/? C+A 3x4,4x4")


def test_parts_for_a_palafico_round() -> None:
    by_parts = position(
        "official",
        ["1", "114", "4"],
        turn="B",
        bids=["1x1"],
        palafico="A",
        been_palafico=("A", 2),
        round=9,
    )
    assert by_parts == position("official 1/114/4 B 1x1 palafico=A been=AC round=9")
    declared = position("official:palafico=declared", ["1", "114", "4"], turn=0, due=0)
    assert declared == position("official:palafico=declared 1/114/4 A - due=A")


def test_parts_for_other_phases() -> None:
    over = position("official", ["", "..", 0], winner="B", round=12)
    assert over.notation == "official -/../- - - winner=B round=12"
    waiting = position("official", ["...", "-", ".."], turn="C", round=4)
    assert waiting.notation == "official .../-/.. C - round=4"
    nothing_wild = position("official", ["2", "34"], turn="A", wild=False)
    assert nothing_wild.notation == "official 2/34 A - wild=no"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a position; write rules, dice, turn and bids"),
        ("official", "is not a position"),
        ("official 123/456 A", "is not a position"),
        ("house 123/456 A -", "unknown rules 'house'"),
        ("official:dice=9 123/456 A -", "dice='9' is not possible"),
        ("official 123/457 A -", "seat B: '457' is not a hand of 3 dice, digits 1 to 6"),
        ("official 123/4?6 A -", "seat B: '4\\?6' mixes seen and unseen dice"),
        ("official 123/4.6 A -", "seat B: '4.6' is not a hand"),
        ("official 123/... A -", "seat B"),
        ("official 123/456/??? A -", "show all hands, or one seat's, or none"),
        ("official 123456789/12 A -", "give each seat 0 to 8"),
        ("official 123 A -", "1 players cannot play"),
        ("official 123/- A -", "at least two seats one or more"),
        ("uk 1/1/1/1/1/1/1 A -", "7 players cannot play uk; it takes 2 to 6"),
        ("official 123/456 C -", "'C' is not a seat; there are A to B"),
        ("official 123/456 a -", "'a' is not a seat"),
        ("official 123/456 AB -", "'AB' is not a seat"),
        ("official 123/456 - -", "the seat to act must have dice"),
        ("official 123/-/456 B -", "the seat to act must have dice"),
        ("official 123/456 B 3y4", "'3y4' is not an action"),
        ("official 123/456 B 3x4,,4x4", "'' is not an action"),
        ("official 123/456 B 7x4", "7x4 is not possible here: .* the quantity is 1 to 6"),
        ("official 123/456 B 1x1", "1x1 is not possible here: .* opened on ones"),
        ("official 123/456 A 3x4,3x3", "3x3 is not possible here: .* not higher"),
        ("official 123/456 A 3x4,pass", "pass is not possible here: .* five dice"),
        ("official 123/456 A 3x4,dudo", "'dudo' ends a round; a position holds bids and passes"),
        ("official 2/33/44 C 2x3,2x4 palafico=A", "2x4 is not possible here: .* fixed"),
        ("official 123/456/123 B+C -", "seat C has no calza to claim here"),
        ("official 123/456/123 B+A 3x4", "seat A has no calza to claim here"),
        ("official 123/456/123 B+B 3x4", "seat B has no calza to claim here"),
        ("official 123/456 A - colour=red", "'colour=red' is not a flag"),
        ("official 123//4 A -", "has an empty hand; write - for a seat that is out"),
        ("official 123/456/1 B+ 1x2", "does not say who is asked"),
        ("official 123/456 A - been=", "'been=' is not a flag"),
        ("official 123/456 A - been=A been=B", "'been=B' is not a flag; .* once each"),
        ("official 123/456 A - been=C", "'C' is not a seat"),
        ("official 123/456 A - round=x", "round=x should be a whole number"),
        ("official 123/456 A - round=-1", "round=-1 should be a whole number"),
        ("official 123/456 A - wild=maybe", "wild=maybe should be"),
        ("uk:palafico=off 2/33/44 A - palafico=A", "has no palafico rounds"),
        ("uk 22/33/44 A - palafico=A", "palafico=A needs that seat to hold one die and to open"),
        ("uk 2/33/44 B - palafico=A", "palafico=A needs .*; B opened"),
        ("official .../... A 3x4", "there can be no bids before the dice are rolled"),
        ("official ./.. A - palafico=A", "there can be no bids before"),
        ("official ../... - - winner=A", "nobody has won while two seats have dice"),
    ],
)
def test_what_is_not_a_position(text: str, message: str) -> None:
    with pytest.raises(PerudoError, match=message) as caught:
        position(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "official ./- - - winner=B",
        "official -/- - - winner=B",
        "official ./-/. B -",
        "official 1/1 A - palafico=A",
        "official 123/456/123 A - due=B",
        "official 12/456/123 A - due=A",
        "official 1/2/3 B 1x2 due=B",
        "official 1/22/33 A - due=A",
        "official:palafico=declared 1/22 A - due=A",
        "official 123/456 A - round=0",
    ],
)
def test_impossible_positions(text: str) -> None:
    """Won or opened without dice, palafico where there can be none, bids before the first round."""
    with pytest.raises(PositionError):
        position(text)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, PositionError),
        ({"dice": ["123", "456"]}, PositionError),
        ({"dice": ["123", "456"], "turn": 2}, PositionError),
        ({"dice": ["123", "456"], "turn": -1}, PositionError),
        ({"dice": ["123", "456"], "turn": True}, PositionError),
        ({"dice": ["123", "456"], "turn": ""}, PositionError),
        ({"dice": [[1, 2, 7], "456"], "turn": 0}, PositionError),
        ({"dice": ["123", "456"], "turn": 1, "bids": ["dudo"]}, PositionError),
        ({"dice": ["123", "456"], "turn": 0, "round": 0}, PositionError),
        ({"dice": ["123", "456"], "turn": 0, "round": -3}, PositionError),
        ({"dice": ["1", "4"], "turn": 0, "wild": True}, PositionError),
        ({"dice": ["123"], "turn": 0}, RulesError),
        ({"dice": [9, "456"], "turn": 0}, RulesError),
    ],
)
def test_parts_that_do_not_fit(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        position(Rules(), **arguments)
    assert "\n" not in str(caught.value)


def test_describe_shows_the_table() -> None:
    assert str(position("common 22/-/34 C 1x2")) == (
        "common, round 1, 4 dice, 1s are wild\n"
        "A: 22       1x2\n"
        "B: out\n"
        "C: 34\n"
        "C may: 2-4x2, 1-4x3, 1-4x4, 1-4x5, 1-4x6, dudo"
    )


def test_a_misspelt_part_is_refused() -> None:
    with pytest.raises(TypeError, match="palafica"):
        position("official", ["1", "23"], turn="A", palafica="A")  # type: ignore[call-arg]  # that is the test
