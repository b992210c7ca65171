"""The process in which built-in AIs decide: it reads questions and writes answers, as lines.

Agents come only from the registry. The first question about one loads, or compiles, its kernels.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from typing import cast

import numpy as np

from perudo.agents.agent import Player
from perudo.agents.external.wire import (
    Answer,
    Decide,
    Failed,
    Learn,
    Learnt,
    Question,
    encode,
    pack_memories,
    pack_records,
    unpack_states,
)
from perudo.agents.external.worker import Worker, conversation
from perudo.agents.mistakes import raised
from perudo.agents.registry import agent_named
from perudo.games.errors import PerudoError
from perudo.games.game import SEATS
from perudo.games.hosting import hosting_of
from perudo.games.options import Setting
from perudo.record import MatchRecord
from perudo.review import Reviewed, review
from perudo.server.ai.questions import FoundDecision, Played, Prepared
from perudo.server.ai.questions import Question as ServerQuestion
from perudo.server.ai.series_player import play_games
from perudo.server.hosted import HOSTING, parsed
from perudo.table import SeededDice, Table

REHEARSED_MOVES = 4
NICE, REVIEW_NICE = 5, 5
"""Niceness of AI processes, and the increment for reviews, so that people's moves come first."""
MOST_WORKERS = 100
"""Maximum number of agents kept in a process, since visitors can ask for any number."""


def limit_memory(megabytes: int) -> None:
    """Limit the memory of this process."""
    limit = megabytes << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class Desk:
    """The agents in use in this process, one for each set of rules and number of players."""

    def __init__(self) -> None:
        self._workers: dict[tuple[str, Setting, int], TableWorker] = {}
        self._decisions: Iterator[Reviewed] = iter(())
        """The decisions still to come in this process's review."""

    def answer(self, question: ServerQuestion) -> Answer | Prepared | Played | FoundDecision:
        """Answer a question; an error becomes an error answer."""
        try:
            if question["do"] == "review":
                os.nice(REVIEW_NICE)
                seats = None if question["seat"] is None else [question["seat"]]
                self._decisions = review(
                    MatchRecord.parse(question["record"]),
                    seats=seats,
                    agents=question["agents"],
                    samples=question["samples"],
                )
                return self._next_decision()
            if question["do"] == "review_next":
                return self._next_decision()
            if question["do"] == "prepare":
                rules, players = parsed(question["rules"]), question["players"]
                return rehearse(self._worker(question["agent"], rules, players), rules, players)
            if question["do"] == "play":
                return play_games(question, lambda *seat: self._worker(*seat).player)
            state = unpack_states(question["game"], question["states"])[0]
            rules = hosting_of(question["game"]).setting_of(state)
            worker = self._worker(question["agent"], rules, state.players)
        except PerudoError as error:
            return {"error": str(error)}
        return worker.answer(question)

    def _next_decision(self) -> FoundDecision:
        decision = next(self._decisions, None)
        return {"decision": None if decision is None else decision.data()}

    def _worker(self, spec: str, rules: Setting, players: int) -> TableWorker:
        key = (spec, rules, players)
        worker = self._workers.pop(key, None)
        if worker is None:
            worker = TableWorker(agent_named(spec).prepare(HOSTING.game.start(rules, players)))
        self._workers[key] = worker  # moved to the end: the first is forgotten
        if len(self._workers) > MOST_WORKERS:
            self._workers.pop(next(iter(self._workers))).player.close()
        return worker


class TableWorker(Worker):
    """A worker for an agent of the registry; running out of memory ends its process."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self.player = player

    def answer(self, question: Question) -> Answer:
        """Answer a question; an exception of the player becomes an error answer."""
        try:
            return self.do(question)
        except MemoryError:  # only the end of the process frees the memory
            raise
        except PerudoError as error:
            return {"error": str(error)}
        except Exception as error:
            return {"error": f"raised {raised(error)}"}

    def learn(self, question: Learn) -> Learnt:
        """Show the player settled rounds one after the other, and return its memory."""
        memories = question["memories"]
        for state in question["states"]:
            shown = super().learn({**question, "states": [state], "memories": memories})
            memories = shown["memories"]
        return {"memories": memories}


def rehearse(worker: TableWorker, rules: Setting, players: int) -> Prepared | Failed:
    """Let an agent make some decisions of a round, so that its kernels are loaded for play."""
    table = Table(HOSTING.game, rules, [str(seat) for seat in range(players)], SeededDice(1))
    width = worker.player.memory_width
    for _ in range(REHEARSED_MOVES):
        seat = table.actor
        if seat is None:
            break
        question: Decide = {
            "do": "decide",
            "batch": False,
            "game": HOSTING.game.name,
            "states": pack_records([table.observe(seat).record]),
            "memories": empty_memory(width) if width else None,
            "streams": [1],
        }
        answer = worker.answer(question)
        if "error" in answer:
            return cast(Failed, answer)
        seen = table.observe(seat)
        legal = HOSTING.legal(seen)
        table.act(seat, HOSTING.default(seen, legal) if HOSTING.is_window(seen) else legal[0])
    return {"memory_width": width}


def empty_memory(width: int) -> str:
    """Return an encoded memory in which nothing has been learned."""
    return pack_memories([np.zeros((len(SEATS), width))])


def main() -> None:
    """Answer questions until the input ends."""
    limit_memory(int(sys.argv[1]))
    os.nice(NICE)
    questions, answers = conversation()
    desk = Desk()
    for line in questions:
        began = time.process_time()
        answer = desk.answer(json.loads(line))
        answers.write(encode({**answer, "seconds": time.process_time() - began}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
