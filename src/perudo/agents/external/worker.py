"""The process in which a class from a file plays: ``python -m`` this module, ``FILE.py:CLASS``.

``FileAgent`` starts it and sends questions. If the class prints, that goes to standard error; the
real standard output is reserved for answers.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

import numpy as np

from perudo.agents.agent import Agent, Decision, Player
from perudo.agents.external.loading import PlainAgent, load_agent
from perudo.agents.external.wire import (
    Answer,
    Decide,
    Decided,
    Introduction,
    Learn,
    Learnt,
    Question,
    encode,
    pack_memories,
    unpack_memories,
    unpack_states,
)
from perudo.agents.mistakes import raised
from perudo.games.errors import PerudoError
from perudo.games.game import action_code, game_named


class Worker:
    """Answers the questions of ``FileAgent`` with one player."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def answer(self, question: Question) -> Answer:
        """Answer a question; an exception of the player becomes an error answer."""
        try:
            return self.do(question)
        except PerudoError as error:
            return {"error": str(error)}
        except Exception as error:
            return {"error": f"raised {raised(error)}"}

    def do(self, question: Question) -> Answer:
        """Dispatch a question to the player, and return the answer."""
        if question["do"] == "decide":
            return self.decide(question)
        if question["do"] == "learn":
            return self.learn(question)
        if question["do"] == "sit":
            game = game_named(question["game"])
            setting = game.setting_from_options(question["options"])
            self._player.sit(game, setting, question["seat"], question["players"])
            return {}
        if question["do"] == "leave":
            (observation,) = unpack_states(question["game"], question["states"])
            self._player.leave(observation)
            return {}
        raise PerudoError(f"unknown question {question['do']!r}")

    def decide(self, question: Decide) -> Decided:
        """Return one decision, or several at once."""
        states = unpack_states(question["game"], question["states"])
        memories = unpack_memories(question["memories"], len(states))
        streams = [np.array([word], np.uint64) for word in question["streams"]]
        if question["batch"]:
            player: Any = self._player
            decisions = list(player.act_batch(states, memories, streams))
            if len(decisions) != len(states):
                raise PerudoError(
                    f"act_batch gave {len(decisions)} actions for {len(states)} positions"
                )
        else:
            asked = zip(states, memories, streams, strict=True)
            decisions = [self._player.decide(*parts) for parts in asked]
        game = states[0].game
        given = [each if isinstance(each, Decision) else Decision(each) for each in decisions]
        return {
            "actions": [action_code(game, decision.action) for decision in given],
            "thoughts": [each.thoughts.data() if each.thoughts else None for each in given],
            "memories": pack_memories(memories) if self._player.memory_width else None,
            "streams": [int(stream[0]) for stream in streams],
        }

    def learn(self, question: Learn) -> Learnt:
        """Show the player a settled round."""
        (observation,) = unpack_states(question["game"], question["states"])
        (memory,) = unpack_memories(question["memories"], 1)
        self._player.learn(observation, memory)
        return {"memories": pack_memories([memory])}


class AgentWorker(Worker):
    """A worker for an agent that is its own player, as classes from files are."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self._agent = agent

    def introduction(self) -> Introduction:
        """Return the properties of the class that ``FileAgent`` needs."""
        return {
            "memory_width": self._agent.memory_width,
            "uses_clock": bool(self._agent.uses_clock),
            "batches": hasattr(self._agent, "act_batch"),
            "learns": self._overrides("learn"),
            "sits": self._overrides("sit"),
            "leaves": self._overrides("leave"),
        }

    def do(self, question: Question) -> Answer:
        """Dispatch a question; ``cannot_play`` needs no match."""
        if question["do"] == "cannot_play":
            game = game_named(question["game"])
            setting = game.setting_from_options(question["options"])
            return {"reason": self._agent.cannot_play(game, setting, question["players"])}
        return super().do(question)

    def _overrides(self, method: str) -> bool:
        """Return True if the class overrides a method; ``FileAgent`` skips calls to the others."""
        if isinstance(self._agent, PlainAgent):
            return self._agent.has(method)
        return getattr(type(self._agent), method) is not getattr(Player, method)


def serve(word: str, questions: TextIO, answers: TextIO) -> None:
    """Load the class, send its introduction, and answer questions until the input ends."""

    def say(message: Answer | Introduction) -> None:
        answers.write(encode(message) + "\n")
        answers.flush()

    try:
        agent = load_agent(word)
        worker = AgentWorker(agent)
        introduction = worker.introduction()
    except PerudoError as error:
        say({"error": str(error)})
        return
    say(introduction)
    for line in questions:
        say(worker.answer(json.loads(line)))
    agent.close()


def conversation() -> tuple[TextIO, TextIO]:
    """Return the real input and output for questions and answers, out of reach of agents.

    Agents then read an empty standard input, and print to standard error.
    """
    questions = os.fdopen(os.dup(0), encoding="ascii")
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return questions, answers


def main() -> None:
    """Serve the class named on the command line."""
    serve(sys.argv[1], *conversation())


if __name__ == "__main__":
    main()
