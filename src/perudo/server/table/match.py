"""One game at a table: whose decision is wanted, the calza window, moves that time forces.

No input or output and no clock: ``room`` brings these.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from perudo.games.errors import NotYourTurnError
from perudo.games.game import SPECTATOR
from perudo.games.log import DiceSource, Event
from perudo.games.perudo import PERUDO, PerudoState, Rules
from perudo.games.perudo.actions import Bid, action_from_code
from perudo.games.perudo.game import Deal
from perudo.games.state import action_code, require_legal, seat_name
from perudo.protocol import Settled
from perudo.record import MatchRecord
from perudo.server.wire.server_messages import Facts
from perudo.table import Table


@lru_cache(maxsize=1024)
def action_text(code: int) -> str:
    """An action as it is written; there are few hundred."""
    return str(action_from_code(code))


@lru_cache(maxsize=1024)
def action_number(text: str) -> int:
    """An action from its text; raises if there is no such one."""
    return action_code(PERUDO, text)


class Match:
    """A game that is being played.

    Where others than the player whose turn it is may claim calza, all of them are asked at once
    (the *window*), and their answers are settled in the order of the seats when it closes.
    """

    def __init__(self, number: int, table: Table) -> None:
        self.number = number
        self.table = table
        self.answers: dict[int, str] = {}
        """What seats have said in the window that is open."""
        self._actor: int | None = table.actor
        self._asked: list[int] | None = None
        self._seen: dict[int, PerudoState] = {}
        self._legal: dict[int, list[str]] = {}
        self._facts: Facts | None = None
        rules = table.record.setting
        self._has_windows = rules.calza and rules.calza_who != "turn_only"
        self._deals: dict[int, Event] = {}

    @staticmethod
    def begin(number: int, rules: Rules, players: Sequence[str], dice: DiceSource) -> Match:
        """Sit down and roll."""
        return Match(number, Table(PERUDO, rules, players, dice))

    @staticmethod
    def resume(number: int, record: MatchRecord, dice: DiceSource) -> Match:
        """Go on where the log stopped."""
        return Match(number, Table.resume(record, dice))

    @property
    def events(self) -> list[Event]:
        """The game's own log."""
        return self.table.record.events

    @property
    def over(self) -> bool:
        """Whether the game has been won."""
        return self._actor is None

    @property
    def window(self) -> list[int]:
        """The seats that are asked whether to claim calza out of turn; empty: no window."""
        if self._asked is None:
            self._asked = self._find_asked()
        return self._asked

    @property
    def awaited(self) -> list[int]:
        """The seats whose decision is wanted."""
        if self.window:
            return [seat for seat in self.window if seat not in self.answers]
        return [] if self._actor is None else [self._actor]

    def observe(self, viewer: int = SPECTATOR) -> PerudoState:
        """What a viewer may know; to a seat in the window, that it is asked.

        The engine asks one seat after the other. To ask all at once, each sees the position in
        which those before it have declined.
        """
        if viewer not in self._seen:
            state: Any = self.table.state
            while viewer in self.window and state.actor != viewer:
                state = state.apply("decline")
            self._seen[viewer] = state.observe(viewer)
        return self._seen[viewer]

    def deal(self, viewer: int) -> Event:
        """The round's deal as a viewer may know it."""
        if viewer not in self._deals:
            number = next(e["n"] for e in reversed(self.events) if e["event"] == "deal")
            self._deals[viewer] = cast(Event, next(self.table.story(viewer, number - 1))[0])
        return self._deals[viewer]

    def hand(self, seat: int) -> str | None:
        """A seat's dice, from its own observation of the deal."""
        hand: str | None = cast(Deal, self.deal(seat))["dice"][seat]
        return hand

    def bidding(self) -> list[tuple[int, str]]:
        """The round's bids and passes, as everybody has heard them."""
        said: list[tuple[int, str]] = []
        for event in reversed(self.events):
            if event["event"] == "deal":
                break
            if event["event"] == "act" and ("x" in event["action"] or event["action"] == "pass"):
                said.append((event["seat"], event["action"]))
        return said[::-1]

    def last(self) -> Settled | None:
        """How the last round was settled, as everybody has seen it."""
        for event in reversed(self.events):
            if event["event"] == "result":
                return cast(
                    Settled, {key: cast(Any, event)[key] for key in Settled.__annotations__}
                )
        return None

    def facts(self) -> Facts:
        """What everybody may know and what stays as it is while bids are made."""
        if self._facts is None:
            seen = self.observe(SPECTATOR)
            self._facts = {
                "round": seen.round,
                "counts": list(seen.dice_counts),
                "wild": seen.wild_face,
                "palafico": seen.palafico,
                "been_palafico": list(seen.been_palafico),
                "opener": seen.opener,
                "total": seen.total_dice,
                "last": self.last(),
                "winner": seen.winner,
                "over": self.over,
            }
        return self._facts

    @property
    def turn(self) -> int | None:
        """Whose turn it is; in the window, when it has closed."""
        return self.observe(SPECTATOR).turn if self.window else self._actor

    def legal(self, seat: int) -> list[str]:
        """What a seat may do now."""
        if seat not in self.awaited:
            return []
        if seat not in self._legal:
            codes = self.observe(seat).legal_actions.codes
            self._legal[seat] = [action_text(code) for code in codes]
        return self._legal[seat]

    def require(self, seat: int, action: str) -> str:
        """The action as it is written, if the seat may do it now; raises what is wrong with it."""
        if seat not in self.awaited:
            who = "nobody" if self._actor is None else f"seat {seat_name(self._actor)}"
            why = "the calza window is open" if self.window else f"{who} is to act"
            raise NotYourTurnError(f"seat {seat_name(seat)} is not asked: {why}")
        code = action_number(action)
        text = action_text(code)
        if text not in self._legal.get(seat, ()):  # else it was offered in the seat's view
            require_legal(self.observe(seat).record, code)
        return text

    def act(self, seat: int, action: str) -> list[Event]:
        """Play an action of the seat whose turn it is; returns what the log gained."""
        before = len(self.events)
        self.table.act(seat, action_number(action))
        return self._gained(before)

    def answer(self, seat: int, action: str) -> None:
        """Note what a seat said in the window."""
        self.answers[seat] = action

    def close_window(self) -> list[Event]:
        """Settle the answers in the order of the seats; who has not answered declines."""
        before = len(self.events)
        seats = list(self.window)
        for seat in seats:
            said = self.answers.get(seat, "decline")
            self.table.act(seat, said)
            if said == "calza":
                break
        return self._gained(before)

    def forced_action(self, seat: int) -> str:
        """What an expired timer plays: dudo, else the lowest bid; in the window, decline."""
        legal = self.legal(seat)
        for word in ("decline", "dudo"):
            if word in legal:
                return word
        bids = [Bid.parse(action) for action in legal if "x" in action]
        if not bids:
            return legal[0]
        view = self.observe(seat)
        halved = view.wild_face == 1 and view.rules.ace_rank in ("above_double", "below_double")
        return str(min(bids, key=_halved_rank if halved else _plain_rank))

    def _find_asked(self) -> list[int]:
        asked: list[int] = []
        if not self._has_windows:
            return asked
        state: Any = self.table.state
        while state.actor is not None and state.actor != state.turn:
            asked.append(int(state.actor))
            state = state.apply("decline")
        return asked

    def _gained(self, before: int) -> list[Event]:
        """What the log has gained; what was known of the position is forgotten."""
        gained = self.events[before:]
        self._actor = self.table.actor
        self._asked = None
        self._seen, self._legal = {}, {}
        self.answers = {}
        if not all("x" in event.get("action", "") for event in gained):
            self._facts = None
        if any(event["event"] == "deal" for event in gained):
            self._deals = {}
        return gained


def _plain_rank(bid: Bid) -> tuple[int, int]:
    return bid.quantity, bid.face


def _halved_rank(bid: Bid) -> tuple[int, int]:
    """Where bids on ones count double, above sixes."""
    return (2 * bid.quantity, 7) if bid.face == 1 else (bid.quantity, bid.face)
