"""Agents named on the command line; only this module loads agents from files or runs programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager

from perudo.agents.agent import Agent
from perudo.agents.external.file_agent import FileAgent
from perudo.agents.external.loading import split_file_word
from perudo.agents.external.process_agent import TIMEOUT_SECONDS
from perudo.agents.external.program import ProgramAgent
from perudo.agents.papers.cfr import allow_solving
from perudo.agents.registry import AGENTS, agent_named
from perudo.games.errors import UnknownNameError
from perudo.search.cfr.match_values import Valued

COMMAND = "cmd:"


def contestant(word: str, timeout: float = TIMEOUT_SECONDS) -> Agent:
    """Return the agent named by a word; an external agent has ``timeout`` seconds for a decision.

    ``dumb:prob=0.4`` is a built-in agent, ``bots/mine.py:Careful:caution=0.4`` a class from a file,
    ``cmd:node bot.js`` a program. The caller closes the agent.
    """
    allow_solving(show_solving)
    if word.startswith(COMMAND):
        return ProgramAgent(word.removeprefix(COMMAND), timeout)
    if split_file_word(word) is not None:
        return FileAgent(word, timeout)
    try:
        return agent_named(word)
    except UnknownNameError as error:
        if word.partition(":")[0] in AGENTS:
            raise
        raise UnknownNameError(
            f"{error}; or a class from a file, my_agent.py:Careful, or a program, cmd:node bot.js"
        ) from None


@contextmanager
def contestants(words: Sequence[str], timeout: float = TIMEOUT_SECONDS) -> Iterator[list[Agent]]:
    """Open the agents named by the words, and close them at the end."""
    with ExitStack() as opened:
        yield [opened.enter_context(closing(contestant(word, timeout))) for word in words]


def show_solving(valued: Valued, number: int, rounds: int) -> None:
    """Show the progress of an agent that solves rounds before it plays."""
    counts = valued.start.record.counts
    end = "\n" if number % rounds == 0 else ""
    print(
        f"\rsolving: {int(counts[0])} v {int(counts[1])} dice, round {number} of {rounds} ",
        end=end,
        file=sys.stderr,
        flush=True,
    )
