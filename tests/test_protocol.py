"""Messages to players in other processes and over a network, and their answers."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo import protocol
from perudo.games.chance import stream_of
from perudo.games.errors import IllegalActionError, InvalidActionError
from perudo.games.operations import SPECTATOR
from perudo.games.perudo import PERUDO, PerudoState, Rules, position
from perudo.protocol import ProtocolError, parse_reply
from perudo.table import SeededDice, Table
from strategies import decisions, positions


def redealt(state: PerudoState, seat: int, seed: int) -> PerudoState:
    """Return the state with other dice in all cups that this seat cannot see."""
    record = state.record
    PERUDO.operations.redeal(record, seat, stream_of(seed))
    return PerudoState(record)


# --- to the player ------------------------------------------------------------------------------
def test_a_match_is_introduced() -> None:
    rules = Rules.parse("official:dice=3")
    message = json.loads(protocol.encode(protocol.hello(PERUDO, rules, 1, ["me", "Åsa"])))
    assert message["type"] == "hello"
    assert message["protocol"] == protocol.PROTOCOL == 1
    assert (message["game"], message["revision"]) == ("perudo", PERUDO.revision)
    assert (message["seat"], message["players"]) == (1, ["me", "Åsa"])
    assert PERUDO.setting_from_options(message["rules"]) == rules


def test_a_decision_is_asked_with_all_that_the_seat_knows() -> None:
    view = position("official 11246/???/? A 2x3,3x4 been=BC round=7")
    assert json.loads(protocol.encode(protocol.decide(view, 17))) == {
        "type": "decide",
        "id": 17,
        "seat": 0,
        "position": "official 11246/???/? A 2x3,3x4 been=BC round=7",
        "round": 7,
        "dice": "11246",
        "counts": [5, 3, 1],
        "turn": 0,
        "bid": "3x4",
        "bidder": 2,
        "history": [[1, "2x3"], [2, "3x4"]],
        "wild": 1,
        "palafico": None,
        "been_palafico": [1, 2],
        "legal": [str(action) for action in view.legal_actions],
        "last": None,
    }


def test_an_opening_a_palafico_round_and_a_question_out_of_turn() -> None:
    opening = protocol.decide(position("uk 11246/???/? A -"), 1)
    assert (opening["bid"], opening["bidder"], opening["history"]) == (None, None, [])
    palafico = protocol.decide(position("official ?/114/? B 1x1 palafico=A been=AC round=9"), 1)
    assert (palafico["palafico"], palafico["wild"]) == (0, None)
    asked = protocol.decide(position("official 11246/?????/? C+A 3x4,4x4"), 1)
    assert (asked["seat"], asked["turn"], asked["legal"]) == (0, 2, ["calza", "decline"])


def test_luck_is_told_only_where_there_is_some() -> None:
    view = position("uk 11246/???/? A -")
    assert "luck" not in protocol.decide(view, 1)
    assert protocol.decide(view, 1, luck=2**53 - 1)["luck"] == 2**53 - 1


def test_the_last_round_is_told_as_its_result_was() -> None:
    table = Table(PERUDO, Rules.parse("common"), ["a", "b", "c"], SeededDice(3))
    table.act(table.actor, "2x3")
    table.act(table.actor, "3x3")
    table.act(table.actor, "dudo")
    (settled,) = [view for event, view in table.story(1) if event["event"] == "result"]
    told = protocol.result(settled)
    (event,) = [event for event in table.record.events if event["event"] == "result"]
    assert told["outcome"] == {key: cast(Any, event)[key] for key in told["outcome"]}
    assert set(event) - set(told["outcome"]) == {"n", "event"}
    assert (told["seat"], told["round"]) == (1, 1)
    assert [action for _, action in told["history"]] == ["2x3", "3x3"]
    assert sum(told["counts"]) == 14
    assert table.actor is not None
    asked = protocol.decide(table.observe(table.actor), 1)
    assert asked["last"] == told["outcome"]
    assert asked["last"]["opener"] == table.actor


def test_the_end_tells_who_won_or_that_nobody_did() -> None:
    over = position("common ---/---/..... - - winner=C round=20".replace("---", "-")).observe(0)
    assert protocol.end(over) == {
        "type": "end",
        "seat": 0,
        "winner": 2,
        "payoffs": [-0.5, -0.5, 1.0],
    }
    left = position("common 12/34 A -").observe(SPECTATOR)
    assert protocol.end(left) == {"type": "end", "seat": None, "winner": None, "payoffs": None}


def test_the_full_state_is_never_told() -> None:
    full = position("common 12/34 A 1x2")
    with pytest.raises(ValueError, match="needs the observation of the seat"):
        protocol.decide(full, 1)
    with pytest.raises(ValueError, match="needs the observation of the seat"):
        protocol.decide(full.observe(1), 1)  # it is A who acts
    with pytest.raises(ValueError, match="needs the observation of the seat"):
        protocol.decide(full.observe(SPECTATOR), 1)
    with pytest.raises(ValueError, match="not from the full state"):
        protocol.result(full.apply("dudo"))
    with pytest.raises(ValueError, match="not from the full state"):
        protocol.end(full)
    with pytest.raises(ValueError, match="not been settled"):
        protocol.result(full.observe(0))


@settings(max_examples=80, deadline=None)
@given(decisions(), st.integers(0, 2**32))
def test_a_question_says_nothing_that_the_seat_cannot_see(state: PerudoState, seed: int) -> None:
    seat = state.actor
    assert seat is not None
    message = protocol.decide(state.observe(seat), 1)
    assert message == protocol.decide(redealt(state, seat, seed).observe(seat), 1)
    assert message["dice"] == state.hand(seat)
    assert protocol.end(state.observe(seat)) == protocol.end(
        redealt(state, seat, seed).observe(seat)
    )


def test_a_result_says_nothing_that_was_not_shown() -> None:
    """After a doubted pass only the passer's dice are shown: B's, not A's and C's."""
    dice = [["11246", "22222", "33456"], ["66666", "22222", "11111"]]
    told = [
        protocol.result(
            position("official", hands, turn="C", bids=["3x4", "pass"]).apply("doubt").observe(2)
        )
        for hands in dice
    ]
    assert told[0] == told[1]
    assert told[0]["outcome"]["hands"] == ["", "22222", ""]


@settings(max_examples=60, deadline=None)
@given(positions())
def test_every_message_is_one_line_of_plain_ascii(state: PerudoState) -> None:
    messages: list[protocol.Message] = [protocol.end(state.observe(0))]
    if state.actor is not None:
        messages.append(protocol.decide(state.observe(state.actor), 1))
    if state.round_over:
        messages.append(protocol.result(state.observe(0)))
    for message in messages:
        line = protocol.encode(message)
        assert line.isascii()
        assert line.isprintable()
        assert json.loads(line)["type"] == message["type"]


# --- from the player ----------------------------------------------------------------------------
VIEW = "common 1124/????/???? A 2x3,3x4"


def test_an_answer_is_read() -> None:
    assert parse_reply('{"type":"action","id":3,"action":"4x5"}') == protocol.Reply(3, "4x5")
    thinking = parse_reply('{"action":"dudo","id":4,"type":"action","thoughts":"too many"}')
    assert thinking == protocol.Reply(4, "dudo", "too many")
    answer = '{"type":"action","id":3,"action":"4x5"}'
    assert protocol.answered_action(answer, position(VIEW), 3) == position(VIEW).game.parse_action(
        "4x5"
    )


@pytest.mark.parametrize(
    "line, code",
    [
        ("", "unreadable"),
        ("4x5", "unreadable"),
        ("[]", "unreadable"),
        ("null", "unreadable"),
        ('{"type":"action"', "unreadable"),
        ("[" * 100_000, "unreadable"),
        ('{"type":"action","id":' + "9" * 5000 + "}", "unreadable"),
        ("{}", "unknown_type"),
        ('{"type":"Action","id":3,"action":"4x5"}', "unknown_type"),
        ('{"type":["action"],"id":3,"action":"4x5"}', "unknown_type"),
        ('{"type":"action","id":3}', "missing_field"),
        ('{"type":"action","action":"4x5"}', "missing_field"),
        ('{"type":"action","id":3,"action":"4x5","seat":1}', "unknown_field"),
        ('{"type":"action","id":"3","action":"4x5"}', "wrong_field"),
        ('{"type":"action","id":true,"action":"4x5"}', "wrong_field"),
        ('{"type":"action","id":3.0,"action":"4x5"}', "wrong_field"),
        ('{"type":"action","id":3,"action":45}', "wrong_field"),
        ('{"type":"action","id":3,"action":null}', "wrong_field"),
        ('{"type":"action","id":3,"action":"4x5","thoughts":{}}', "wrong_field"),
        ('{"type":"action","id":4,"action":"4x5"}', "wrong_id"),
    ],
)
def test_what_is_no_answer_is_refused_in_one_short_line(line: str, code: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        protocol.answered_action(line, position(VIEW), 3)
    assert caught.value.code == code
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "action, error, code",
    [
        ("3x4", IllegalActionError, "not_higher"),
        ("pass", IllegalActionError, "pass_off"),
        ("four fives", InvalidActionError, "unreadable"),
        ("", InvalidActionError, "unreadable"),
    ],
)
def test_an_answer_must_be_a_legal_action(action: str, error: type[ValueError], code: str) -> None:
    line = json.dumps({"type": "action", "id": 3, "action": action})
    with pytest.raises(error) as caught:
        protocol.answered_action(line, position(VIEW), 3)
    assert getattr(caught.value, "code", None) == code


@given(
    st.text()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["type", "id", "action", "thoughts", "x"]), inner)
        ),
    ).map(json.dumps)
)
def test_whatever_comes_is_an_answer_or_a_protocol_error(line: str) -> None:
    try:
        reply: Any = parse_reply(line)
    except ProtocolError:
        return
    assert isinstance(reply.action, str)
    assert type(reply.id) is int
