"""Whole games among AIs, played inside an AI process.

The dice are the table's own (``fair_dice``). Calza out of turn is offered seat by seat, which is
equivalent to the window in which a room offers it to all at once.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence

import numpy as np

from perudo.agents.agent import Decision, Player
from perudo.agents.external.wire import pack_memories, unpack_memories
from perudo.agents.mistakes import raised
from perudo.fair_dice import FairDice
from perudo.games.errors import PerudoError
from perudo.games.log import Event
from perudo.games.options import Setting
from perudo.games.policy import Memory
from perudo.server.ai.questions import Order, PlannedGame, Played
from perudo.server.hosted import HOSTING, parsed
from perudo.server.table.seating import by_player, by_seat
from perudo.table import Table

AgentOf = Callable[[str, Setting, int], Player]


class OutOfTimeError(PerudoError):
    """A game that takes longer than its time limit."""


def play_games(question: Order, agent_of: AgentOf) -> Played:
    """Play games of a series one after the other, as many as finish in time.

    Return the events of each, the AIs' memories after the last, and the error that an AI made in
    the game after it, if any.
    """
    deadline = time.monotonic() + question["seconds"]
    rules, specs = parsed(question["rules"]), question["agents"]
    agents = [agent_of(spec, rules, len(specs)) for spec in specs]
    memories = [unpack_memories(text, 1)[0] for text in question["memories"]]
    played: list[list[Event]] = []
    problem = None
    for game in question["games"]:
        changed = [memory.copy() for memory in memories]
        try:
            played.append(_play(game, rules, agents, changed, deadline))
        except OutOfTimeError:
            break
        except MemoryError:  # only the end of the process frees the memory
            raise
        except Exception as error:
            problem = f"raised {raised(error)}"
            break
        memories = changed
    packed = [
        pack_memories([memory]) if agent.memory_width else None
        for agent, memory in zip(agents, memories, strict=True)
    ]
    return {"games": played, "memories": packed, "problem": problem}


def _play(
    game: PlannedGame,
    rules: Setting,
    agents: Sequence[Player],
    memories: list[Memory],
    deadline: float,
) -> list[Event]:
    seating = game["seating"]
    dice = FairDice(bytes.fromhex(game["secret"]), game["seeds"], game["later_games"])
    table = Table(HOSTING.game, rules, game["players"], dice)
    streams = [np.array([secrets.randbits(64)], np.uint64) for _ in seating]
    at_table = [by_seat(memories[player], seating) for player in seating]
    events = table.record.events
    told = len(events)
    while (seat := table.actor) is not None:
        if time.monotonic() > deadline:
            raise OutOfTimeError("the game takes too long")
        agent = agents[seating[seat]]
        decision = agent.decide(table.observe(seat), at_table[seat].copy(), streams[seat])
        table.act(seat, decision.action if isinstance(decision, Decision) else decision)
        for event in events[told:]:
            if event["event"] == "result":
                _show(table, event["n"], seating, agents, at_table)
        told = len(events)
    for seat, player in enumerate(seating):
        memories[player] = by_player(at_table[seat], seating)
    return events


def _show(
    table: Table,
    number: int,
    seating: Sequence[int],
    agents: Sequence[Player],
    at_table: Sequence[Memory],
) -> None:
    """Show a settled round to the agents that learn."""
    for seat, player in enumerate(seating):
        if agents[player].memory_width:
            _, view = next(table.story(seat, number - 1))
            agents[player].learn(view, at_table[seat])
