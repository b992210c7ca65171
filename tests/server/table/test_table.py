"""Tables are values: commands decide on them without a trace, and a log makes the same table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from perudo.fair_dice import games_between, sha
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.settings import Settings
from perudo.server.table import commands, events
from perudo.server.table.attendance import Attendance, Timing
from perudo.server.table.due import AskPrograms, due
from perudo.server.table.games import Begin, Close, Move, Settle, StandIn
from perudo.server.table.log import Entry, read_event, table_of
from perudo.server.table.progress import Command, Moment, Progress, new_anchor
from perudo.server.table.table import Table
from perudo.server.wire import client_messages
from perudo.server.wire.table_options import TableOptions

TIMING = Timing(Settings())
SECRET = bytes(range(32))
AT = Moment(stand_in="observer", fresh=lambda size: SECRET[:size])
NAMES = ("Ada", "Bob", "Cleo")


def person(name: str) -> Person:
    return Person(id=name.lower(), kind="guest", name=name)


def read(kind: str, **fields: Any) -> Any:
    return client_messages._reader.validate_python({"type": kind, "table": "table-1", **fields})


class Story:
    """A table and everything that has happened there."""

    def __init__(self, **options: Any) -> None:
        seats = [{"kind": "open"} for _ in NAMES]
        chosen = TableOptions.model_validate(
            {"rules": "official:dice=2", "seats": seats, **options}
        )
        opened = events.Opened(chosen.model_dump(mode="json"), "ada", None)
        self.happened: list[events.Event] = [opened, new_anchor(1, chosen.games, AT)]
        self.table = table_of("table-1", self.entries)

    @property
    def entries(self) -> list[Entry]:
        return [Entry(n, 0.0, event) for n, event in enumerate(self.happened, 1)]

    def do(self, command: Command, at: Moment = AT) -> Progress:
        progress = command.decide(self.table, at)
        self.table, self.happened = progress.table, [*self.happened, *progress.events]
        return progress

    def act(self, seat: int, action: str, **more: Any) -> Progress:
        message = read("action", id=self.table.question, action=action, **more)
        return self.do(commands.Act(person(NAMES[seat]), message))


def begun(**options: Any) -> Story:
    story = Story(**options)
    for name in NAMES:
        story.do(commands.Sit(person(name), read("sit", seed="ab")))
    story.do(Begin(first=True))
    return story


def turn(story: Story) -> int:
    assert story.table.play is not None
    (seat,) = story.table.play.asked
    return seat


def played_out(story: Story) -> Story:
    for _ in range(500):
        play = story.table.playing
        if play is None:
            return story
        if play.window:
            story.do(Settle())
        else:
            story.do(Move(turn(story), None, "timer"))
    raise AssertionError("the game does not end")


def test_deciding_leaves_the_table_untouched() -> None:
    story = begun()
    before = story.table
    again = table_of("table-1", story.entries)
    seat = turn(story)
    assert len(story.act(seat, "2x3").events) == 1
    story.act((seat + 2) % 3, "calza")
    story.do(Settle())
    assert before == again
    assert before.play is not None
    assert before.play.asked == (seat,)
    assert story.table != before


def test_tables_and_what_is_in_them_cannot_be_changed() -> None:
    table = begun().table
    for part in (table, table.seats[0], table.play, table.play and table.play.dice, AT):
        assert dataclasses.is_dataclass(part)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, dataclasses.fields(part)[0].name, None)


def stored(entries: Sequence[Entry]) -> list[Entry]:
    """The entries after a way through the database."""
    return [
        Entry(e.n, e.at, read_event(e.event.kind, e.event.data, e.event.hidden_data))
        for e in entries
    ]


@pytest.mark.parametrize("games", [1, 3])
def test_a_log_makes_the_table_that_playing_made(games: int) -> None:
    story = begun(games=games)
    for number in range(games):
        if number:
            story.do(Begin(first=False))
        played_out(story)
        assert table_of("table-1", stored(story.entries)) == story.table
    assert sum(story.table.wins) == games
    assert story.table.status == "finished"


def test_hidden_fields_are_stored_apart_and_shown_to_nobody() -> None:
    story = played_out(begun())
    hosting = story.table.options.hosting
    secret = SECRET.hex()
    for entry in story.entries:
        for name in entry.event.hidden:
            assert name not in entry.event.data
        if entry.event.kind != "end":  # where the dice can be checked
            shown = [entry.told(viewer, hosting) for viewer in (-2, 0, 1, 2)]
            assert secret not in repr(shown)
    assert secret not in repr(story.table)


def test_one_move_has_one_effect() -> None:
    story = begun()
    seat = turn(story)
    first = story.act(seat, "2x3", move="mine")
    again = story.act(seat, "2x3", move="mine")
    assert again.repeats == first.table.n
    assert again.events == ()


def test_who_leaves_or_is_away_while_playing_is_remembered() -> None:
    story = begun()
    story.do(StandIn({0: 0.0, 1: 99.0}), dataclasses.replace(AT, now=5.0))
    assert story.table.seats[0].stand_in == "observer"
    assert story.table.seats[1].stand_in is None
    story.do(commands.Stand(person("Cleo"), read("stand")))
    assert (set(story.table.away), set(story.table.quit)) == ({0}, {2})


def test_a_refusal_names_what_is_wrong() -> None:
    story = begun()
    seat = turn(story)
    with pytest.raises(Refused) as refused:
        story.act((seat + 1) % 3, "2x3")
    assert refused.value.code == "not_your_turn"
    with pytest.raises(Refused) as refused:
        story.do(commands.Pause(person("Bob"), read("pause", on=True)))
    assert refused.value.code == "not_creator"


# --- what is due --------------------------------------------------------------------------------
def first_due(table: Table, attendance: Attendance) -> tuple[float, type]:
    found = min(due(table, attendance, TIMING), key=lambda each: each.at)
    return found.at, type(found.what)


def test_a_table_that_nobody_looks_at_is_closed() -> None:
    story = Story()
    assert first_due(story.table, Attendance(last_used=10.0)) == (1810.0, Close)
    assert due(story.table, Attendance(watched=True), TIMING) == []


def test_a_turn_has_its_time_and_an_absence_too() -> None:
    story = begun(timer=20)
    seat = turn(story)
    present = Attendance(here=frozenset(range(3)), asked_at=100.0, programs_asked=True)
    assert first_due(story.table, present) == (120.0, Move)
    away = dataclasses.replace(present, absent_since={seat: 50.0})
    absence = Settings().absence_seconds
    assert (50.0 + absence, StandIn) in [
        (each.at, type(each.what)) for each in due(story.table, away, TIMING)
    ]
    unasked = dataclasses.replace(present, programs_asked=False)
    assert AskPrograms in [type(each.what) for each in due(story.table, unasked, TIMING)]


def test_a_window_closes_when_all_have_answered_or_its_time_is_over() -> None:
    story = begun(calza_window=4.0)
    seat = turn(story)
    story.act(seat, "2x3")
    assert story.table.play is not None
    assert story.table.play.window == ((seat + 2) % 3,)
    asked = Attendance(asked_at=100.0, programs_asked=True)
    assert first_due(story.table, asked) == (104.0, Settle)
    story.act((seat + 2) % 3, "decline")
    assert first_due(story.table, asked) == (0.0, Settle)


def test_nothing_is_due_at_a_paused_table() -> None:
    story = begun(timer=20)
    story.do(commands.Pause(person("Ada"), read("pause", on=True)))
    here = Attendance(here=frozenset(range(3)), watched=True)
    assert due(story.table, here, TIMING) == []


def test_a_log_with_a_secret_for_each_game_goes_on_with_a_chain_for_the_rest() -> None:
    """As logs of older versions have them, in which the second game's secret was drawn early."""
    story = Story(games=4)
    old = [bytes([number]) * 32 for number in (1, 2)]
    story.happened[1:] = [
        events.Anchor(game, sha(secret), secret.hex()) for game, secret in enumerate(old, 1)
    ]
    story.table = table_of("table-1", story.entries)
    for name in NAMES:
        story.do(commands.Sit(person(name), read("sit", seed="ab")))
    drawn = []
    for number in range(1, 5):
        story.do(Begin(first=number == 1))
        assert story.table.play is not None
        drawn.append(story.table.play.dice)
        played_out(story)
    assert [dice.secret for dice in drawn[:2]] == old
    assert [dice.later_games for dice in drawn] == [0, 0, 1, 0]
    assert games_between(drawn[2].anchor, drawn[3].anchor) == 1
    assert [each.last for each in story.happened if isinstance(each, events.Anchor)] == [
        *(None, None),
        4,
        8,
    ]
    assert table_of("table-1", story.entries) == story.table
