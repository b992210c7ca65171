"""The authority for one match."""

from __future__ import annotations

from typing import Any, cast

import pytest

from perudo.games.chance import below, stream_of
from perudo.games.errors import IllegalActionError, InvalidActionError, NotYourTurnError
from perudo.games.operations import SPECTATOR
from perudo.games.perudo import PERUDO, Rules
from perudo.games.perudo.game import Deal
from perudo.record import MatchRecord
from perudo.table import SeededDice, Table


def new_table(rules: str = "official", players: int = 3, seed: int = 1, **start: Any) -> Table:
    names = [f"player {seat}" for seat in range(players)]
    return Table(PERUDO, Rules.parse(rules), names, SeededDice(seed), **start)


def play_out(table: Table, seed: int = 1, actions: int = 100_000) -> None:
    stream = stream_of(seed, 9)
    for _ in range(actions):
        if table.over:
            return
        legal = table.legal_actions
        table.act(table.actor, legal[int(below(stream, len(legal)))])


@pytest.mark.parametrize(
    "seat_shift, action, error, code",
    [
        (1, "1x2", NotYourTurnError, "not_your_turn"),
        (0, "dudo", IllegalActionError, "no_bid_to_doubt"),
        (0, "1x1", IllegalActionError, "ace_opening"),
        (0, "16x2", IllegalActionError, "quantity_out_of_range"),
        (0, "three fives", InvalidActionError, "unreadable"),
        (0, 3.5, InvalidActionError, "unreadable"),
    ],
)
def test_what_is_refused_changes_nothing(
    seat_shift: int, action: Any, error: type[ValueError], code: str
) -> None:
    table = new_table()
    assert table.actor is not None
    before, lines = table.state, list(table.record.lines())
    with pytest.raises(error) as caught:
        table.act((table.actor + seat_shift) % 3, action)
    assert getattr(caught.value, "code", None) == code
    assert table.state == before
    assert list(table.record.lines()) == lines


def test_nobody_acts_after_the_end() -> None:
    table = new_table("perudish2", players=2)
    play_out(table)
    with pytest.raises(NotYourTurnError, match="the match is over"):
        table.act(0, "1x2")


def test_the_same_seed_gives_the_same_match_and_another_seed_another() -> None:
    logs = []
    for seed in (5, 5, 6):
        table = new_table(seed=seed)
        play_out(table)
        logs.append(list(table.record.lines()))
    assert logs[0] == logs[1] != logs[2]


def test_dice_do_not_depend_on_what_is_played() -> None:
    """Duplicate dice: the second round's dice of a seat are the same however the first one went."""
    first, second = new_table("s0_sim", seed=3, opener=0), new_table("s0_sim", seed=3, opener=0)
    first.act(0, "1x2")
    second.act(0, "15x6")
    first.act(1, "dudo")
    second.act(1, "dudo")
    one, other = cast(Any, first.record.events[-1]), cast(Any, second.record.events[-1])
    assert one["round"] == other["round"] == 2
    shared = [seat for seat in range(3) if len(one["dice"][seat]) == len(other["dice"][seat])]
    assert shared
    for seat in shared:
        assert one["dice"][seat] == other["dice"][seat]


def test_a_story_tells_a_seat_only_its_own_dice() -> None:
    table = new_table(seed=2)
    play_out(table, actions=30)
    for viewer in (0, 1, 2, SPECTATOR):
        for event, view in table.story(viewer):
            assert view.viewer == viewer
            if event["event"] == "deal":
                for seat, dice in enumerate(cast(Deal, event)["dice"]):
                    assert (dice is not None) == (seat == viewer or view.dice_counts[seat] == 0)
            for seat in range(3):
                if seat != viewer and view.dice_counts[seat]:
                    assert view.hand(seat) is None


def test_a_story_can_be_picked_up_where_it_was_left() -> None:
    table = new_table()
    play_out(table, actions=12)
    whole = [event["n"] for event, _ in table.story(0)]
    assert whole == list(range(1, len(table.record.events) + 1))
    assert [event["n"] for event, _ in table.story(0, after=5)] == whole[5:]


def test_a_match_resumes_from_its_record_and_ends_the_same() -> None:
    whole = new_table(seed=8)
    play_out(whole)
    actions = [event for event in whole.record.events if event["event"] == "act"]
    half = new_table(seed=8)
    for event in actions[: len(actions) // 2]:
        half.act(event["seat"], event["action"])
    copied = MatchRecord.parse(list(half.record.lines()), unfinished=True)
    resumed = Table.resume(copied, SeededDice(8))
    for event in actions[len(actions) // 2 :]:
        resumed.act(event["seat"], event["action"])
    assert list(resumed.record.lines()) == list(whole.record.lines())
    assert resumed.state == whole.state
