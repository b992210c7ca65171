"""The public face of a game: all that a table of the hosting service needs to know of it.

A game is hosted when it has a ``Hosting``. The defaults are those of a game in which one seat acts
at a time and the log of a match hides nothing; a game overrides what it does differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, Protocol, cast

from typing_extensions import TypedDict

from perudo.games.errors import UnknownNameError
from perudo.games.game import Game, Payload, State
from perudo.games.log import Event, SeenEvent
from perudo.games.operations import SPECTATOR, Record
from perudo.games.options import option_texts

Json = dict[str, Any]
Moves = tuple[tuple[int, str], ...]
"""Actions to be played one after the other: seat and text."""

DRAW_LIMIT = 252
"""Draws are whole numbers below this multiple of six."""


class SeatResult(TypedDict):
    """The result of a seat in a match; what a game does not know is 0."""

    place: int
    """The rank, from 1 for the winner."""
    dice_left: int
    calls: int
    right_calls: int
    bids: int
    bluffs: int
    faces: str
    """The number of bids on each face, separated by commas."""
    rounds_lost: int


class Draws(Protocol):
    """Verifiable random numbers for one deal, each from 0 to ``DRAW_LIMIT - 1``, equally likely."""

    def of_seat(self, seat: int) -> Iterator[int]:
        """Draw numbers that only this seat may know for now."""

    def public(self) -> Iterator[int]:
        """Draw numbers that everybody may check at once."""


class Hosting:
    """The public face of one game."""

    personal_events: ClassVar[frozenset[str]] = frozenset({"deal", "act", "result"})
    """The kinds of events of which a player may see more than a spectator."""

    def __init__(self, game: Game) -> None:
        self.game = game

    # --- settings -------------------------------------------------------------------------------
    @cached_property
    def options(self) -> dict[str, tuple[str, ...]]:
        """Every option of the rules, with all its values as text."""
        return {option.name: option_texts(option) for option in fields(self.game.setting_type)}

    def summary(self, preset: str) -> str:
        """Return a line about a preset."""
        return preset

    def max_players(self, setting: Any) -> int:
        """Return the largest number of players for these rules."""
        return self.game.properties.max_players

    def setting_of(self, position: State) -> Any:
        """Return the rules of a position."""
        return self.game.setting(self.game.presets[0])

    # --- decisions ------------------------------------------------------------------------------
    def asked(self, position: State) -> tuple[int, ...]:
        """Return the seats whose decision is wanted: one has the turn, several answer at once."""
        actor = position.actor
        return () if actor is None else (actor,)

    def is_window(self, position: State) -> bool:
        """Return whether answers are sealed until all who are asked have answered."""
        return False

    def moves(self, position: State, answers: Mapping[int, str]) -> Moves | None:
        """Return the actions that the answers come to; None while answers are missing."""
        asked = self.asked(position)
        if not asked or any(seat not in answers for seat in asked):
            return None
        return tuple((seat, answers[seat]) for seat in asked)

    def turn(self, position: State) -> int | None:
        """Return the seat that has the turn, or has it when the window closes."""
        return position.actor

    def observe(self, position: State, viewer: int) -> State:
        """Return what a viewer may know; a seat that is asked sees itself as the actor."""
        return position.observe(viewer)

    def legal(self, observation: State) -> list[str]:
        """Return what the seat that is asked may do, as text."""
        return [self.action_text(code) for code in observation.legal_actions.codes]

    def action_text(self, code: int) -> str:
        """Return an action as text."""
        return self.game.format_action(code)

    def action_code(self, text: str) -> int:
        """Return the number of an action; raise ``InvalidActionError`` if it is none."""
        return self.game.parse_action(text)

    def default(self, observation: State, legal: Sequence[str]) -> str:
        """Return what an expired clock plays for the seat that is asked."""
        return legal[0]

    # --- chance ---------------------------------------------------------------------------------
    def rounds_dealt(self, record: Record) -> int:
        """Return how many deals this state has behind it."""
        raise NotImplementedError

    def deal(self, record: Record, draws: Draws) -> Payload:
        """Turn draws into the awaited deal, as ``Game.format_deal`` writes it."""
        raise NotImplementedError

    def revealed(self, record: Record) -> list[bool]:
        """Return, by seat, whether settling the round has shown what the seat was dealt."""
        return [False] * int(record.players)

    # --- what viewers see -----------------------------------------------------------------------
    def seen(self, event: Event, viewer: int = SPECTATOR) -> SeenEvent:
        """Return an event of the match's log as a viewer may know it."""
        return cast(SeenEvent, dict(event))

    def in_play(self, position: State) -> tuple[int, ...]:
        """Return the seats that have not been knocked out."""
        return tuple(range(position.players))

    def view(self, observation: State, last: SeenEvent | None) -> Json:
        """Return the public part of a position, from an observation and the last result."""
        return {"over": observation.over}

    def keeps_view(self, event: Event) -> bool:
        """Return whether an event leaves ``view`` as it was."""
        return False

    def passing_view(self, events: Sequence[Event]) -> Json:
        """Return the rest of what everybody may know, which changes with every event."""
        return {}

    def private_view(self, viewer: int, deal: SeenEvent | None) -> Json:
        """Return what only this viewer may know, who saw the last deal like this."""
        return {}

    def results(self, events: Sequence[Event], seats: int) -> list[SeatResult]:
        """Return the result of each seat in a finished match."""
        payoffs = events[-1]["payoffs"]
        return [
            {
                "place": 1 + sum(payoff > own for payoff in payoffs),
                "dice_left": 0,
                "calls": 0,
                "right_calls": 0,
                "bids": 0,
                "bluffs": 0,
                "faces": ",".join("0" * 6),
                "rounds_lost": 0,
            }
            for own in payoffs
        ]

    def odds(self, observation: State) -> dict[str, float | None]:
        """Return the chance that each legal action's claim is true, as its actor can know it."""
        return {}


_hosted: dict[str, Hosting] = {}


def host(hosting: Hosting) -> None:
    """Make a game one that tables can be opened for."""
    _hosted[hosting.game.name] = hosting


def hosting_of(game: str) -> Hosting:
    """Return the public face of the game with this name."""
    if game not in _hosted:
        known = ", ".join(sorted(_hosted))
        raise UnknownNameError(f"the game {game!r} is not hosted; there are: {known}")
    return _hosted[game]
