"""A time limit for the decisions of any agent.

Agents of this package run in this process. Classes from files and programs have processes of their
own (``process_agent``), because only a process can be killed reliably.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from perudo.agents.agent import Decision, Player
from perudo.agents.external.process_agent import ProcessAgent
from perudo.agents.human import HumanAgent
from perudo.agents.mistakes import agent_error, checked, raised
from perudo.games.chance import Stream
from perudo.games.errors import AgentError
from perudo.games.game import State
from perudo.games.policy import Memory


class OutOfTime(BaseException):
    """Interruption of an agent that takes too long; agents do not catch a ``BaseException``."""


def decide_within(
    player: Player, observation: State, memory: Memory, stream: Stream, seconds: float | None
) -> Decision:
    """Return a legal decision; ``AgentError`` if the player fails, is late, or moves illegally.

    In this process the limit interrupts Python code; compiled code runs to its end before it raises
    the error. A person has no time limit, and may leave (EOFError).
    """
    if isinstance(player, ProcessAgent):
        return player.decide_within(observation, memory, stream, seconds)
    limit = None if isinstance(player, HumanAgent) else seconds
    try:
        with _alarm(limit):
            answer = player.decide(observation, memory, stream)
    except OutOfTime:
        late = f"did not answer within {seconds:g} s"
        raise agent_error(player.spec, late, observation) from None
    except (AgentError, EOFError):
        raise
    except Exception as error:
        raise agent_error(player.spec, f"raised {raised(error)}", observation) from error
    return checked(player.spec, observation, answer)


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Raise ``OutOfTime`` in the body after ``seconds``; outside the main thread, at its end.

    An alarm set before by other code is restored.
    """
    if seconds is None:
        yield
        return
    started = time.monotonic()
    if threading.current_thread() is not threading.main_thread():
        yield
        if time.monotonic() - started > seconds:
            raise OutOfTime
        return

    def ring(number: int, frame: Any) -> None:
        raise OutOfTime

    previous = signal.signal(signal.SIGALRM, ring)
    before, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        if before:
            left = max(before - (time.monotonic() - started), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left, interval)
