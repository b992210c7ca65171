"""Who runs the game at a table: asks AIs and programs, watches clocks, begins the next game.

Clocks are the server's. After a restart they begin anew.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any

from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO
from perudo.games.state import action_code, require_legal
from perudo.server.archive import game_began, game_ended
from perudo.server.fairness import SECRET_BYTES, FairDice, sha
from perudo.server.match import Match
from perudo.server.state import Draft, Occupant
from perudo.server.thinker import empty_memory
from perudo.server.thinking import ThinkingError

if TYPE_CHECKING:
    from perudo.server.room import Room

log = logging.getLogger("perudo.dealer")

CLOSE_WAITING_SECONDS = 1800.0
"""A table that waits for players is closed when nobody has looked at it for so long."""


class Dealer:
    """One table's."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._asked_at = 0.0
        """When the awaited decisions were asked for."""
        self._paced_from = 0.0
        """When somebody last said something that the others should have time to take in."""
        self._ready: dict[int, tuple[str, str]] = {}
        """What AIs have decided, and by what (ai or fallback), until it is time to say it."""
        self._thinking: dict[int, asyncio.Task[None]] = {}
        self._programs_asked = False
        self._away: dict[int, float] = {}
        """Since when seats' players have not been connected."""
        self._next_game_at: float | None = None
        self._preparing: asyncio.Task[None] | None = None
        self.hurried = False
        self.memories: dict[tuple[int, str], str] = {}
        """What the AI in a seat remembers."""

    # --- how long things take here --------------------------------------------------------------
    @property
    def pace_seconds(self) -> float:
        """How long AIs and bots wait before they answer."""
        chosen = self._room.state.options.pace
        if self.hurried:
            return 0.0
        if not self._with_person:
            return chosen or 0.0
        return self._room.service.settings.pace_seconds if chosen is None else chosen

    @property
    def calza_seconds(self) -> float:
        """How long a window for calza stays open."""
        chosen = self._room.state.options.calza_window
        return self._room.service.settings.calza_seconds if chosen is None else chosen

    @property
    def absence_seconds(self) -> float:
        """How long a player can be away before an AI plays for them."""
        settings, state = self._room.service.settings, self._room.state
        if state.absence_seconds is not None:
            return state.absence_seconds
        if state.options.private:
            return settings.private_absence_seconds
        return settings.absence_seconds

    @property
    def _reveal_seconds(self) -> float:
        if self.hurried or not self._with_person:
            return 0.0
        return self._room.service.settings.reveal_seconds

    @property
    def _with_person(self) -> bool:
        """Whether a person sits here who might want to follow the game."""
        return any(
            seat.occupant is not None and seat.occupant.kind == "person" and not seat.left
            for seat in self._room.state.seats
        )

    def seconds_left(self) -> float | None:
        """What is left of the time of whoever is to act."""
        deadline = self._deadline()
        if deadline is None or self._room.state.paused:
            return None
        return round(max(deadline - self._now(), 0.0), 1)

    def window_seconds_left(self) -> float:
        """What is left of the window for calza."""
        if self._match is None or not self._match.window or self._room.state.paused:
            return 0.0
        return round(max(self._window_closes() - self._now(), 0.0), 1)

    # --- waking ---------------------------------------------------------------------------------
    def wake_at(self) -> float | None:
        """When something is due, whatever else happens."""
        state = self._room.state
        due = [math.inf]
        if state.status == "waiting" and not self._room.followers:
            due.append(self._room.last_used + CLOSE_WAITING_SECONDS)
        if state.status == "playing" and not state.paused:
            due += self._due()
        earliest = min(due)
        return None if earliest == math.inf else earliest

    def _due(self) -> list[float]:
        match = self._match
        due = []
        if self._next_game_at is not None:
            due.append(self._next_game_at)
        if match is None or match.over:
            return due
        if match.window:
            due.append(self._window_closes() if match.awaited else self._now())
        elif match.awaited and match.awaited[0] in self._ready:
            due.append(self._say_at())
        if not self._programs_asked:
            due.append(self._asked_at if match.window else self._say_at())
        deadline = self._deadline()
        if deadline is not None:
            due.append(deadline)
        if self._room.state.absence == "ai":
            due += [
                since + self.absence_seconds
                for seat, since in self._away.items()
                if self._room.state.seats[seat].stand_in is None
            ]
        return due

    async def tick(self) -> None:
        """Do what is due."""
        now, state, match = self._now(), self._room.state, self._match
        if state.status == "waiting":
            await self._room.commit([self._draft("closed", reason="nobody came")])
            return
        if state.paused:
            return
        if self._next_game_at is not None and now >= self._next_game_at:
            self._next_game_at = None
            self.begin_if_ready()
            return
        if match is None or match.over:
            return
        if await self._replace_absent(now):
            return
        if not self._programs_asked and now >= (self._asked_at if match.window else self._say_at()):
            self._programs_asked = True
            for follower in list(self._room.followers):
                if follower.program:
                    self._room.ask_program(follower)
            return
        if match.window:
            if not match.awaited or now >= self._window_closes():
                await self._record("window", None, None)
            return
        seat = match.awaited[0]
        deadline = self._deadline()
        if seat in self._ready and now >= self._say_at():
            action, by = self._ready.pop(seat)
            await self._act(seat, action, by, None)
        elif deadline is not None and now >= deadline:
            self._room.service.counts.forced += 1
            await self._act(seat, match.forced_action(seat), "timer", None)

    def _deadline(self) -> float | None:
        """When the time of the person or program that is to act is over."""
        match, state = self._match, self._room.state
        if match is None or match.over or match.window or state.options.timer is None:
            return None
        seat = match.awaited[0]
        if state.seats[seat].agent is not None:
            return None
        if state.absence == "wait" and seat in self._away:
            return None
        return self._asked_at + state.options.timer

    def _window_closes(self) -> float:
        return self._asked_at + self.calza_seconds

    def _say_at(self) -> float:
        """When AIs and bots may say what they have decided."""
        return self._paced_from + self.pace_seconds

    # --- coming and going -----------------------------------------------------------------------
    async def came(self, person: str) -> None:
        """A player is connected again: the seat is theirs."""
        seat = self._room.state.seat_of(person)
        if seat is None:
            return
        self._away.pop(seat, None)
        if self._room.state.seats[seat].stand_in is not None:
            self._drop_thought(seat)
            await self._room.commit([self._draft("back", seat=seat)])
            self.ask()

    def went(self, person: str) -> None:
        """A connection of a player is gone."""
        seat = self._room.state.seat_of(person)
        if seat is not None and not self._room.is_here(seat):
            self._away[seat] = self._now()
            self._room.tell(True)

    async def _replace_absent(self, now: float) -> bool:
        state = self._room.state
        if state.absence != "ai":
            return False
        agent = self._room.service.settings.stand_in
        late = [
            seat
            for seat, since in self._away.items()
            if state.seats[seat].stand_in is None and now >= since + self.absence_seconds
        ]
        if late:
            await self._room.commit([self._draft("absent", seat=s, agent=agent) for s in late])
            self.ask()
        return bool(late)

    def sat(self, seat: int) -> None:
        """Somebody has sat down; perhaps before their connection follows the table."""
        if not self._room.is_here(seat):
            self._away[seat] = self._now()

    def hurry(self) -> None:
        """Nobody wants to wait any more."""
        self.hurried = True
        self._paced_from = self._asked_at = self._now()

    def clocks_anew(self) -> None:
        """The table was paused, or goes on: nobody loses time by it."""
        now = self._now()
        self._asked_at = self._paced_from = now
        self._away = dict.fromkeys(self._away, now)
        self.ask()

    def forget(self, seat: int) -> None:
        """Somebody else may sit here."""
        self._away.pop(seat, None)
        self._drop_thought(seat)

    # --- games ----------------------------------------------------------------------------------
    async def resume(self) -> None:
        """Go on after the table has been loaded."""
        now, state = self._now(), self._room.state
        self._asked_at = self._paced_from = now
        for number, seat in enumerate(state.seats):
            if seat.occupant is not None and seat.occupant.kind != "ai" and not seat.left:
                self._away[number] = now
        if state.status == "playing" and self._match is not None and not self._match.over:
            fresh = self._match.events[self._logged_events() :]
            if fresh:  # cannot be, since an action and what follows are stored together
                raise RuntimeError(f"the log of table {state.id} stops in the middle of a move")
            self.ask()
        elif state.status == "playing":
            self._next_game_at = now
        else:
            self.begin_if_ready()

    def _logged_events(self) -> int:
        return sum(event.kind in ("deal", "act", "result", "end") for event in self._room.state.log)

    def begin_if_ready(self) -> None:
        """Begin a game if every seat is taken, as soon as its AIs can play."""
        state = self._room.state
        if self._preparing is not None or state.status in ("closed", "finished"):
            return
        if self._match is not None and not self._match.over:
            return
        if any(seat.occupant is None for seat in state.seats):
            return
        self._preparing = asyncio.create_task(self._prepare())

    async def _prepare(self) -> None:
        agents = {seat.agent for seat in self._room.state.seats if seat.agent is not None}
        try:
            for agent in agents:
                await self._prepare_one(agent)
        except ThinkingError as error:
            log.warning("table %s plays with a plain move for %s", self._room.state.id, error)
        finally:
            self._preparing = None
        self._room.post(self.begin)

    async def _prepare_one(self, agent: str) -> int:
        options = self._room.state.options
        thinkers = self._room.service.thinkers
        return await thinkers.prepare(agent, options.rules_text, len(options.seats))

    async def begin(self, first: bool | None = None) -> None:
        """Begin the next game."""
        state = self._room.state
        if any(seat.occupant is None for seat in state.seats) or state.status == "closed":
            return
        if self._match is not None and not self._match.over:
            return
        number = state.game + 1
        seeds = [seat.seed for seat in state.seats]
        dice = state.dice(number, seeds)
        names = [seat.occupant.name for seat in state.seats if seat.occupant is not None]
        match = Match.begin(number, state.options.parsed_rules(), names, dice)
        begins = state.match is None or state.series_over if first is None else first
        started = {
            "game": number,
            "first": begins,
            "players": [seat.occupant.public for seat in state.seats if seat.occupant],
            "header": match.table.record.header(),
            "seeds": seeds,
            "commit": dice.commit(1) if isinstance(dice, FairDice) else None,
        }
        state.match = match
        self.hurried = False
        drafts = [Draft("started", started), *self._record_drafts(match.events, "dice", None)]
        await self._room.commit(drafts, partial(game_began, state=state))
        self._asked_at = self._paced_from = self._now()
        self.ask()

    # --- decisions ------------------------------------------------------------------------------
    async def take_action(self, seat: int, action: str, move: str | None) -> int:
        """A person's or program's own action, which has been found to be legal."""
        match = self._match
        assert match is not None
        if not match.window:
            return await self._act(seat, action, "player", move)
        match.answer(seat, action)
        data = {"seat": seat, "action": action, "move": move}
        (logged,) = await self._room.commit([self._draft("answered", **data)])
        if not match.awaited:
            await self._record("window", None, None)
        return logged.n

    async def _act(self, seat: int, action: str, by: str, move: str | None) -> int:
        return await self._record(by, (seat, action), move)

    async def _record(self, by: str, act: tuple[int, str] | None, move: str | None) -> int:
        """Play an action, or close the window, and store what follows."""
        match, state = self._match, self._room.state
        assert match is not None
        gained = match.close_window() if act is None else match.act(*act)
        drafts = self._record_drafts(gained, by, move)
        kinds = [event["event"] for event in gained]
        also = None
        if "end" in kinds:
            drafts += self._after_game()
            also = partial(game_ended, state=state, rate=self._room.service.game_ended)
            self._room.service.counts.games += 1
        self._room.service.counts.moves += 1
        logged = await self._room.commit(drafts, also)
        now = self._now()
        settled = "result" in kinds
        if settled:
            await self._learn()
        if settled or act is not None:
            self._paced_from = now + (self._reveal_seconds if settled else 0.0)
        self._asked_at = max(now, self._paced_from) if settled else now
        if "end" in kinds and state.status == "playing":
            self._next_game_at = now + 2 * self._reveal_seconds
        self.ask()
        return logged[0].n

    def _record_drafts(self, gained: list[Any], by: str, move: str | None) -> list[Draft]:
        drafts = []
        for event in gained:
            data: dict[str, Any] = {"record": event}
            if event["event"] == "act":
                data |= {"by": by, "move": move}
            drafts.append(Draft(event["event"], data))
        return drafts

    def _after_game(self) -> list[Draft]:
        """A new secret for the next game; seats that were left go to an AI, or are free."""
        state = self._room.state
        drafts = [new_anchor(state.game + 1)]
        left = [number for number, seat in enumerate(state.seats) if seat.left]
        if left:
            drafts.append(self._draft("free", seats=left))
        if left and state.game - state.first_game + 1 < state.options.games:
            for number in left:
                agent = state.seats[number].stand_in
                name = f"{agent} ({'ABCDEFGHIJ'[number]})"
                player = Occupant(name, "ai", agent=agent).stored
                drafts.append(self._draft("seated", seat=number, player=player, seed=""))
        return drafts

    def ask(self) -> None:
        """Ask all whose decision is wanted now."""
        match, state = self._match, self._room.state
        self._programs_asked = False
        if match is None or match.over or state.paused:
            self.forget_thoughts()
            return
        awaited = match.awaited
        for seat in list(self._thinking):
            if seat not in awaited:
                self._drop_thought(seat)
        for seat in awaited:
            agent = state.seats[seat].agent
            if agent is not None:
                if seat not in self._thinking and seat not in self._ready:
                    task = asyncio.create_task(self._think(seat, agent, state.question))
                    self._thinking[seat] = task
            elif match.window and seat in self._room.auto_decline:
                match.answer(seat, "decline")

    def may_ask_program(self, seat: int) -> bool:
        """Whether a program is to be asked now, rather than when it is time."""
        return self._programs_asked and self._room.state.seats[seat].agent is None

    def forget_thoughts(self) -> None:
        """Nobody need think any more."""
        for seat in list(self._thinking):
            self._drop_thought(seat)
        self._ready.clear()

    def stop(self) -> None:
        """The room is given up."""
        self.forget_thoughts()
        if self._preparing is not None:
            self._preparing.cancel()

    def _drop_thought(self, seat: int) -> None:
        task = self._thinking.pop(seat, None)
        if task is not None:
            task.cancel()
        self._ready.pop(seat, None)

    async def _think(self, seat: int, agent: str, question: int) -> None:
        service, match = self._room.service, self._match
        assert match is not None
        key, seconds = (seat, agent), service.settings.think_seconds
        try:
            width = await asyncio.wait_for(self._prepare_one(agent), seconds)
            memory = self.memories.get(key) or empty_memory(width) if width else None
            observation = match.observe(seat)
            thought = await service.thinkers.decide(agent, observation.record, memory, seconds)
            require_legal(observation.record, action_code(PERUDO, thought.action))
            action, by = thought.action, "ai"
            if thought.memory is not None:
                self.memories[key] = thought.memory
        except (PerudoError, TimeoutError) as error:
            log.warning(
                "table %s: %s: %s; a plain move is played", self._room.state.id, agent, error
            )
            service.counts.forced += 1
            action, by = None, "fallback"
        self._room.post(lambda: self._thought(seat, action, by, question))

    async def _thought(self, seat: int, action: str | None, by: str, question: int) -> None:
        self._thinking.pop(seat, None)
        match = self._match
        if match is None or question != self._room.state.question or seat not in match.awaited:
            return
        action = match.forced_action(seat) if action is None else action
        if match.window:
            match.answer(seat, action)
        else:
            self._ready[seat] = (action, by)

    async def _learn(self) -> None:
        """Show the settled round to the AIs that remember."""
        match, thinkers = self._match, self._room.service.thinkers
        assert match is not None
        for (seat, agent), memory in list(self.memories.items()):
            for event, view in match.table.story(seat, len(match.events) - 3):
                if event["event"] == "result":
                    try:
                        self.memories[seat, agent] = await thinkers.learn(
                            agent, view.record, memory, self._room.service.settings.think_seconds
                        )
                    except ThinkingError as error:
                        log.warning("table %s: %s; it forgets", self._room.state.id, error)

    @property
    def _match(self) -> Match | None:
        return self._room.state.match

    def _now(self) -> float:
        return self._room.service.clock.now()

    def _draft(self, kind: str, **data: Any) -> Draft:
        return Draft(kind, data)


def new_anchor(game: int) -> Draft:
    """A secret for a game's dice, and what is told of it before."""
    secret = secrets.token_bytes(SECRET_BYTES)
    return Draft("anchor", {"game": game, "anchor": sha(secret)}, {"secret": secret.hex()})
