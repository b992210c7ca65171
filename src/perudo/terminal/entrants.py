"""Who is meant by a word on the command line: the only place that loads files or runs commands."""

from __future__ import annotations

from collections.abc import Sequence

from perudo.agents import AGENTS, Agent, agent_named
from perudo.agents.file_agent import FileAgent
from perudo.agents.loading import split_file_word
from perudo.agents.outside import TIMEOUT_SECONDS
from perudo.agents.program import ProgramAgent
from perudo.games.errors import UnknownNameError

COMMAND = "cmd:"


def entrant(word: str, timeout: float = TIMEOUT_SECONDS) -> Agent:
    """The agent that a word names; ``timeout`` is how many seconds an outsider may think.

    ``dumb:prob=0.4`` is one of the package's own, ``bots/mine.py:Careful:caution=0.4`` a class from
    a file, ``cmd:node bot.js`` a program. ``close`` it in the end.
    """
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


def entrants(words: Sequence[str], timeout: float = TIMEOUT_SECONDS) -> list[Agent]:
    """The agents that some words name; if one cannot be had, none is left running."""
    agents: list[Agent] = []
    try:
        for word in words:
            agents.append(entrant(word, timeout))
    except BaseException:
        for agent in agents:
            agent.close()
        raise
    return agents
