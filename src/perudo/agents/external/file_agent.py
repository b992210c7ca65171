"""An agent class from a file, in a process of its own, so that it cannot hang or crash this one."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any, cast

from perudo.agents.agent import Decision, Thoughts
from perudo.agents.external.loading import find_file
from perudo.agents.external.process_agent import TIMEOUT_SECONDS, ProcessAgent
from perudo.agents.external.wire import (
    LONGEST_LINE,
    Answer,
    CannotPlay,
    Decide,
    Decided,
    Failed,
    Introduction,
    Learn,
    Learnt,
    Leave,
    Question,
    Refusal,
    Sit,
    encode,
    pack_memories,
    pack_records,
    unpack_memories,
)
from perudo.agents.mistakes import agent_error, checked
from perudo.games.chance import Stream
from perudo.games.errors import PerudoError
from perudo.games.game import Game, State
from perudo.games.policy import Memory

LOADING_SECONDS = 120.0
"""Time limit for importing a file, which may load a large library or compile."""


class FileAgent(ProcessAgent):
    """The agent named by a spec such as ``my_agent.py:Careful:caution=0.4``.

    It decides exactly as it would in this process: the worker gets the same bytes, and returns the
    changed memory and stream. The constructor loads the file, to report errors before play begins.
    """

    idea = "asks a class from a file"

    def __init__(self, word: str, timeout: float = TIMEOUT_SECONDS) -> None:
        super().__init__(timeout)
        self._word = word
        find_file(word)
        self._about = self._load()
        self.memory_width = self._about["memory_width"]
        self.uses_clock = self._about["uses_clock"]
        if self._about["batches"]:
            self.act_batch = self._act_batch

    @property
    def spec(self) -> str:
        """The agent's name on the command line."""
        return self._word

    def decide_within(
        self, observation: State, memory: Memory, stream: Stream, seconds: float | None
    ) -> Decision:
        """Return the class's decision, within a time limit."""
        (decision,) = self._decide([observation], [memory], [stream], False, seconds)
        return decision

    def _act_batch(
        self, observations: list[Any], memories: list[Memory], streams: list[Stream]
    ) -> list[Decision]:
        """Return the class's decisions for many positions at once."""
        return self._decide(observations, memories, streams, True, self.timeout)

    def learn(self, observation: State, memory: Memory) -> None:
        """Show the class a settled round, if it learns."""
        if self._about["learns"]:
            question: Learn = {
                "do": "learn",
                "game": observation.game.name,
                "states": pack_records([observation.record]),
                "memories": pack_memories([memory]),
            }
            answer = cast(Learnt, self._ask(question, self.timeout, observation))
            memory[:] = unpack_memories(answer["memories"], 1)[0]

    def sit(self, game: Game, setting: Any, seat: int, players: Sequence[str]) -> None:
        """Announce a match to the class, if it has ``sit``."""
        if self._about["sits"]:
            question: Sit = {
                "do": "sit",
                "game": game.name,
                "options": game.setting_options(setting),
                "seat": seat,
                "players": list(players),
            }
            self._ask(question, self.timeout)

    def leave(self, observation: State) -> None:
        """Show the class the end of a match, if it has ``leave``."""
        if self._about["leaves"]:
            question: Leave = {
                "do": "leave",
                "game": observation.game.name,
                "states": pack_records([observation.record]),
            }
            self._ask(question, self.timeout, observation)

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return the class's reason why it cannot play at such a table, or None."""
        question: CannotPlay = {
            "do": "cannot_play",
            "game": game.name,
            "options": game.setting_options(setting),
            "players": players,
        }
        return cast(Refusal, self._ask(question, self.timeout))["reason"]

    # --- the worker -----------------------------------------------------------------------------
    def _load(self) -> Introduction:
        """Start a worker, and return its introduction of the class."""
        self._start(
            [sys.executable, "-P", "-m", "perudo.agents.external.worker", self._word], LONGEST_LINE
        )
        about = self._read(self._converse(lambda process: process.read(LOADING_SECONDS)), None)
        if "error" in about:
            self.close()
            raise PerudoError(cast(Failed, about)["error"])
        return cast(Introduction, about)

    def _decide(
        self,
        observations: list[Any],
        memories: list[Memory],
        streams: list[Stream],
        batch: bool,
        seconds: float | None,
    ) -> list[Decision]:
        first, records = observations[0], [view.record for view in observations]
        question: Decide = {
            "do": "decide",
            "batch": batch,
            "game": first.game.name,
            "states": pack_records(records),
            "memories": pack_memories(memories) if self.memory_width else None,
            "streams": [int(stream[0]) for stream in streams],
        }
        answer = cast(Decided, self._ask(question, seconds, first))
        for stream, word in zip(streams, answer["streams"], strict=True):
            stream[0] = word
        if self.memory_width:
            written = unpack_memories(answer["memories"], len(memories))
            for memory, changed in zip(memories, written, strict=True):
                memory[:] = changed
        return [
            checked(self.spec, view, Decision(code, said and Thoughts(**said)), record)
            for view, record, code, said in zip(
                observations, records, answer["actions"], answer["thoughts"], strict=True
            )
        ]

    def _ask(
        self, question: Question, seconds: float | None, observation: State | None = None
    ) -> Answer:
        if self._process is None:
            self._load()
        line, limit = encode(question), math.inf if seconds is None else seconds
        answer = self._read(
            self._converse(lambda process: process.ask(line, limit), observation), observation
        )
        if "error" in answer:  # the class failed, its process did not
            raise agent_error(self.spec, cast(Failed, answer)["error"], observation)
        return answer

    def _read(self, line: str, observation: State | None) -> Answer | Introduction:
        try:
            message = json.loads(line)
        except ValueError:
            self._give_up(f"wrote {line[:80]!r} into the conversation", observation)
        assert isinstance(message, dict)
        return cast(Answer | Introduction, message)
