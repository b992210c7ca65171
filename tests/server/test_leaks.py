"""Nobody is told what they may not know: not in a byte, in a log, or by an error.

The same game is played twice; only the hidden dice of one round differ. Until that round's reveal,
all that a seat, a spectator or the log gets must be identical.
"""

from __future__ import annotations

import asyncio
import logging
import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo.fair_dice import FairDice
from perudo.games.game import Game, Record
from perudo.games.perudo.game import Deal
from perudo.server.errors import Refused
from perudo.server.history.records import game_story, record_lines
from perudo.server.process.logs import JsonLines
from perudo.server.rooms.room import Room
from perudo.server.table.events import Anchor
from perudo.server.table.progress import Moment
from perudo.server.table.table import Table
from server.kit import play_out, settings_for, site
from server.rooms.test_tables import two_at_a_table
from server.world import Follower, World, awaited, world

SEEING = 0
"""The seat whose dice stay the same."""


class StackedDice:
    """Dice that are equal in both worlds, except for the hidden dice of one round."""

    def __init__(self, seed: int, differing: int, other_world: bool) -> None:
        self._seed, self._differing, self._other = seed, differing, other_world

    def commit(self, number: int) -> str:
        return "c"

    def deal(self, game: Game, record: Record) -> dict[str, Any]:
        number = int(record.round_number) + 1
        hands = []
        for seat in range(int(record.players)):
            hidden = self._other and number == self._differing and seat != SEEING
            rng = random.Random(f"{self._seed} {number} {seat} {hidden}")
            hands.append("".join(sorted(rng.choices("123456", k=int(record.counts[seat])))))
        opener = int(record.opener)
        game.replay_deal(record, Deal(round=1, opener=1 if opener < 0 else opener, dice=[*hands]))
        return {"fair": {"commit": "c", "next": "n", "locks": ["l"] * int(record.players)}}

    def settled(self, game: Game, record: Record) -> dict[str, Any]:
        return {}

    def ended(self, game: Game, record: Record) -> dict[str, Any]:
        return {}


def fixed_anchor(first: int, last: int, at: Moment) -> Anchor:
    return Anchor(first, "a", "00" * 32)


class KeptLog(logging.Handler):
    """Everything that is logged, as it is written."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        record.created, record.msecs = 0.0, 0.0
        self.lines.append(JsonLines().format(record))


async def play_one_world(
    path: Path, rules: str, players: int, seed: int, differing: int, other_world: bool
) -> list[list[bytes] | list[str]]:
    """Play up to the call in the differing round; returns all messages."""
    log = KeptLog()
    root = logging.getLogger("perudo")
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    dice = StackedDice(seed, differing, other_world)
    told: list[Follower] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "dice", lambda self, number, seeds: dice)
        patch.setattr("perudo.server.rooms.lobby.new_id", lambda: "table-of-the-test")
        patch.setattr("perudo.server.people.people.new_id", iter("abcdefghij").__next__)
        patch.setattr("perudo.server.rooms.lobby.new_anchor", fixed_anchor)
        patch.setattr("perudo.server.table.progress.new_anchor", fixed_anchor)
        async with world(path, reveal_seconds=0.0) as here:
            told = await follow_game(here, rules, players, random.Random(seed), differing)
    root.removeHandler(log)
    root.setLevel(logging.NOTSET)
    return [follower.frames for follower in told] + [log.lines]


async def follow_game(
    here: World, rules: str, players: int, rng: random.Random, differing: int
) -> list[Follower]:
    people = await here.guests(players + 1)
    room = await here.table(people[0], players, rules=rules, private=True)
    page, program = Follower(people[SEEING]), Follower(people[SEEING], program=True)
    spectator = Follower(people[players])
    for follower in (page, program, spectator, *map(Follower, people[1:players])):
        await here.open(room, follower)
    for person in people[:players]:
        assert "code" not in await here.do(room, person, "sit")
    await here.settle(room)
    kept = [page, program, spectator]
    for move in range(200):
        match = room.table.play
        assert match is not None
        if match.over:
            break
        if rng.random() < 0.1:  # a connection is lost and comes back
            again = Follower(people[SEEING], program=rng.random() < 0.5)
            kept.append(again)
            await here.open(room, again, rng.choice([None, room.table.n - 1, 10**6]))
        probe = rng.choice(["20x6", "dudo", "calza", "decline", "x"])
        if rng.random() < 0.2 and probe not in match.legal(SEEING):
            page.send(
                await here.do(room, people[SEEING], "action", id=room.table.question, action=probe)
            )
        seat = rng.choice(awaited(room))
        legal = match.legal(seat)
        calls = [word for word in ("dudo", "calza", "doubt") if word in legal]
        last = int(match.observe().round) == differing
        if last and (len(match.observe().history) > 4 or legal == calls):
            break
        others = [action for action in legal if action not in calls]
        pick = (
            rng.choice(others[:8] or calls)
            if last or rng.random() < 0.7
            else (calls[0] if calls else others[0])
        )
        if last and pick in calls:
            break
        await here.do(
            room, people[seat], "action", id=room.table.question, action=pick, move=f"m{move}"
        )
        await here.do(room, people[seat], "say", reaction="🎲")
        await here.settle(room)
        if rng.random() < 0.1:  # over HTTP: the table, the list of tables, the game's record
            spectator.send(await here.lobby.info(room.table.id))
            spectator.send({"tables": await here.lobby.listing(["playing"])})
            for download in (record_lines, game_story):
                spectator.send({"refused": await refusal(here, download, room)})
    return kept


async def refusal(here: World, download: Any, room: Room) -> str | None:
    try:
        await here.service.store.read(partial(download, id=f"{room.table.id}.{room.table.game}"))
    except Refused as refused:
        return refused.code
    return None if room.table.play is not None and room.table.play.over else "told too early"


@settings(max_examples=12, deadline=None)
@given(
    rules=st.sampled_from(["official", "common", "uk", "wikipedia"]),
    players=st.integers(2, 4),
    seed=st.integers(0, 10**6),
    differing=st.integers(1, 3),
)
def test_hidden_dice_change_no_byte_before_the_reveal(
    rules: str, players: int, seed: int, differing: int
) -> None:
    told = []
    for other_world in (False, True):
        with tempfile.TemporaryDirectory() as path:
            run = play_one_world(Path(path), rules, players, seed, differing, other_world)
            told.append(asyncio.run(run))
    assert told[0] == told[1]
    assert len(told[0][0]) > 3  # the seat was told something


def test_secrets_and_keys_are_told_when_their_hands_are_shown_and_not_before(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            table, players, _ = await two_at_a_table(here)
            room = await here.server.lobby.room(table)
            secret = room.table.secrets[1]
            dice = FairDice(secret, ["ab", "ab"])
            keys = [key.hex() for key in dice._draws(1, 2).seat_keys]
            await play_out(players, table)
            for player in players:
                shown = ended = False
                for frame in player.frames:
                    shown = shown or '"kind":"result"' in frame
                    ended = ended or '"kind":"end"' in frame
                    assert shown or not any(key in frame for key in keys)
                    assert ended or secret.hex() not in frame
                    assert dice._round_seed(1).hex() not in frame
                assert ended

    asyncio.run(main())
