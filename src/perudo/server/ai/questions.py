"""Messages between the AI pool and its processes."""

from __future__ import annotations

from typing import Literal, TypedDict

from perudo.agents.external import wire
from perudo.games.log import Event
from perudo.games.options import Json


class Prepare(TypedDict):
    """A request to load an AI, compiling it if necessary."""

    do: Literal["prepare"]
    agent: str
    rules: str
    players: int


class Prepared(TypedDict):
    """The answer to ``prepare``."""

    memory_width: int


class Decide(wire.Decide):
    """A request for an AI's decision."""

    agent: str


class Learn(wire.Learn):
    """Settled rounds for an AI to learn from, in order."""

    agent: str


class PlannedGame(TypedDict):
    """A game to play to its end."""

    players: list[str]
    seating: list[int]
    """The player in each seat, as a place in the order's list of agents."""
    secret: str
    seeds: list[str]
    later_games: int
    """The number of later games that the anchor of this one commits to."""


class Order(TypedDict):
    """Games of a series among AIs, to be played one after the other."""

    rules: str
    agents: list[str]
    seconds: float
    games: list[PlannedGame]
    memories: list[str | None]


class Play(Order):
    """A request to play games."""

    do: Literal["play"]


class Played(TypedDict):
    """The games finished in time."""

    games: list[list[Event]]
    memories: list[str | None]
    """The AIs' memories after the last game."""
    problem: str | None
    """An AI's error in the game after these, or null."""


class Review(TypedDict):
    """A request to review a record; the answer is its first decision."""

    do: Literal["review"]
    record: list[str]
    agents: list[str]
    seat: int | None
    samples: int


class ReviewNext(TypedDict):
    """A request for the next decision of a review."""

    do: Literal["review_next"]


class FoundDecision(TypedDict):
    """A decision of a review; null after the last."""

    decision: dict[str, Json] | None


Question = Prepare | Decide | Learn | Play | Review | ReviewNext
