"""Actions as text, and the errors for unreadable and illegal ones."""

from __future__ import annotations

import pytest

from perudo.games.errors import IllegalActionError, InvalidActionError, PerudoError
from perudo.games.perudo import (
    PERUDO,
    Bid,
    Calza,
    Decline,
    DoubtPass,
    Dudo,
    Palafico,
    Pass,
    Word,
    parse_action,
    position,
)
from perudo.games.perudo.actions import action_from_code
from perudo.games.perudo.bidding import REFUSALS


def test_a_bid_reads_and_writes_itself() -> None:
    bid = Bid.parse("3x5")
    assert bid == Bid(3, 5)
    assert (bid.quantity, bid.face) == (3, 5)
    assert str(bid) == "3x5"
    assert eval(repr(bid)) == bid  # a repr is the call that makes the value
    assert len({bid, Bid(3, 5), Bid(3, 4)}) == 2


@pytest.mark.parametrize("text", ["3x5", " 3x5 ", "3X5", "3*5", "3 x 5", "03x5"])
def test_ways_to_write_a_bid(text: str) -> None:
    assert Bid.parse(text) == parse_action(text) == Bid(3, 5)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("dudo", Dudo),
        ("calza", Calza),
        ("pass", Pass),
        ("doubt", DoubtPass),
        ("palafico", Palafico),
        ("decline", Decline),
    ],
)
def test_words(text: str, word: Word) -> None:
    assert parse_action(text) is word
    assert parse_action(f" {text.upper()} ") is word
    assert str(word) == text
    assert action_from_code(word.code) is word
    assert word.meaning


@pytest.mark.parametrize(
    "text",
    ["", " ", "x", "3x", "x5", "3-5", "3,5", "-1x5", "3x5x2", "1000x5", "3.0x5", "dudo!", "٣x5"],
)
def test_unreadable_actions(text: str) -> None:
    for read in (Bid.parse, parse_action):
        with pytest.raises(InvalidActionError, match="3x5") as caught:
            read(text)
        assert repr(text) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert caught.value.code == "unreadable"


@pytest.mark.parametrize("text", ["0x5", "81x5", "3x0", "3x7", "999x9"])
def test_bids_that_there_are_not(text: str) -> None:
    with pytest.raises(
        InvalidActionError, match="the quantity is 1 to 80, the face 1 to 6"
    ) as caught:
        Bid.parse(text)
    assert str(caught.value).startswith(text)


def test_a_word_is_not_a_bid() -> None:
    with pytest.raises(InvalidActionError, match="'dudo' is not a bid; write quantity x face"):
        Bid.parse("dudo")


def test_an_action_may_be_text_a_number_or_a_value() -> None:
    state = position("common 222/333 B 2x3")
    raised = state.apply("3x3")
    assert state.apply(Bid(3, 3)) == state.apply(Bid(3, 3).code) == raised
    assert state.apply(Dudo) == state.apply("dudo")


@pytest.mark.parametrize("action", [None, True, 3.5, ("3", "5"), b"3x5"])
def test_what_is_not_an_action(action: object) -> None:
    with pytest.raises(InvalidActionError, match="is not an action; give text such as '3x5'"):
        position("common 222/333 B 2x3").apply(action)
    assert action not in position("common 222/333 B 2x3").legal_actions


FIVE = "22222/33333/44444"

REFUSED = [
    ("match_over", "common ./- - - winner=A", "dudo"),
    ("dice_not_rolled", "common ..../.... - -", "1x2"),
    ("unknown_action", f"common {FIVE} B 2x3", 0),
    ("unknown_action", f"common {FIVE} B 2x3", 7),
    ("unknown_action", f"common {FIVE} B 2x3", -1),
    ("unknown_action", f"common {FIVE} B 2x3", 3 * 8 + 7),
    ("unknown_action", f"common {FIVE} B 2x3", 3 * 8),
    ("quantity_out_of_range", f"common {FIVE} B 2x3", "16x3"),
    ("quantity_out_of_range", f"common:cap_bids_at_total=no {FIVE} B 2x3", 81 * 8 + 3),
    ("aces_not_biddable", f"common {FIVE} B 2x3", "5x1"),
    ("ace_opening", f"uk {FIVE} A -", "1x1"),
    ("face_fixed", "uk 2/33/44 B 2x3 palafico=A", "2x4"),
    ("not_higher", f"uk {FIVE} B 2x3", "2x2"),
    ("not_higher", f"uk {FIVE} B 3x3", "1x1"),
    ("raise_one_of_two", f"asmodee {FIVE} B 2x3", "3x4"),
    ("raise_one_of_two", f"asmodee {FIVE} B 2x3", "3x2"),
    ("raise_one_of_two", f"uk:raise_rule=neither_falls {FIVE} B 2x3", "3x2"),
    ("only_calza_or_decline", f"uk {FIVE} B+C 2x3", "dudo"),
    ("no_bid_to_doubt", f"uk {FIVE} A -", "dudo"),
    ("doubt_the_pass", f"official {FIVE} C 2x3,pass", "dudo"),
    ("calza_off", f"common {FIVE} B 2x3", "calza"),
    ("calza_needs_bid", f"official {FIVE} A -", "calza"),
    (
        "calza_own_bid",
        f"official:calza_after_pass=yes,consecutive_pass=yes {FIVE} A 2x3,pass,pass",
        "calza",
    ),
    ("calza_not_next", f"uk {FIVE} B 2x3", "calza"),
    ("calza_palafico", "official 2/33/44 B 2x3 palafico=A", "calza"),
    ("calza_two_players", "official 22/33 B 2x3", "calza"),
    ("calza_after_pass", f"official {FIVE} C 2x3,pass", "calza"),
    ("pass_off", f"uk {FIVE} B 2x3", "pass"),
    ("pass_needs_five_dice", "official 2222/3333 B 2x3", "pass"),
    ("pass_once", "official 222/33333 B 2x3,pass,3x3", "pass"),
    ("pass_on_opening", f"official {FIVE} A -", "pass"),
    ("pass_after_pass", f"official {FIVE} C 2x3,pass", "pass"),
    ("pass_palafico", "official:pass_in_palafico=no 2/33333/44 B 2x3 palafico=A", "pass"),
    ("no_pass_to_doubt", f"official {FIVE} B 2x3", "doubt"),
    ("palafico_not_yours", f"official:palafico=declared {FIVE} A -", "palafico"),
    ("nothing_to_decline", f"official {FIVE} B 2x3", "decline"),
]


@pytest.mark.parametrize(("code", "notation", "action"), REFUSED)
def test_refusals(code: str, notation: str, action: str | int) -> None:
    state = position(notation)
    before = state.record.tobytes()
    assert action not in state.legal_actions
    with pytest.raises(IllegalActionError) as caught:
        state.apply(action)
    assert caught.value.code == code
    message = str(caught.value)
    assert "\n" not in message
    assert "{" not in message
    assert " is not legal: " in message
    if isinstance(action, str):
        assert message.startswith(action)
    if state.actor is not None:
        assert message.endswith(f"; legal: {state.legal_actions}")
    assert state.record.tobytes() == before


def test_every_refusal_is_tested() -> None:
    assert {code for code, _, _ in REFUSED} == set(REFUSALS) - {"legal"}


def test_a_refusal_says_what_was_asked_what_stands_and_what_is_legal() -> None:
    with pytest.raises(IllegalActionError) as caught:
        position("common 2/3 B 2x3").apply("2x2")
    assert str(caught.value) == (
        "2x2 is not legal: it is not higher than the standing 2x3; legal: 2x4, 2x5, 2x6, dudo"
    )


def test_all_errors_are_value_errors() -> None:
    assert issubclass(IllegalActionError, PerudoError)
    assert issubclass(InvalidActionError, PerudoError)
    assert issubclass(PerudoError, ValueError)


def test_legal_actions_are_a_sequence() -> None:
    actions = position("common 2/3 B 2x3").legal_actions
    assert len(actions) == 4
    assert list(actions) == [Bid(2, 4), Bid(2, 5), Bid(2, 6), Dudo]
    assert (actions[0], actions[-1]) == (Bid(2, 4), Dudo)
    assert actions[1:3] == [Bid(2, 5), Bid(2, 6)]
    assert actions.codes == [action.code for action in actions]
    assert repr(actions) == "<LegalActions: 2x4, 2x5, 2x6, dudo>"
    with pytest.raises(IndexError, match="there are 4 legal actions"):
        actions[4]


def test_nothing_is_legal_while_nobody_is_to_act() -> None:
    waiting = PERUDO.start(position("common 2/3 A -").rules, 2)
    assert len(waiting.legal_actions) == 0
    assert list(waiting.legal_actions) == []
    over = position("common 2/3 B 2x4").apply("dudo")
    assert len(over.legal_actions) == 0
    assert PERUDO.operations.action_count(over.record) == 0
