"""Agents named on the command line."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from perudo.agents import AGENTS, split_agents
from perudo.agents.external.file_agent import FileAgent
from perudo.agents.external.program import ProgramAgent
from perudo.agents.random_agent import RandomAgent
from perudo.cli import contestants as contestants_module
from perudo.cli.contestants import contestant, contestants
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import position

EXAMPLES = Path(__file__).parents[2] / "examples"
CAREFUL = f"{EXAMPLES / 'my_agent.py'}:Careful"
BOT = f"cmd:{shlex.quote(sys.executable)} -S {shlex.quote(str(EXAMPLES / 'bot.py'))}"


def test_a_word_names_an_agent_a_class_or_a_program() -> None:
    words = ["random:call=0.5", f"{CAREFUL}:courage=0.05", BOT]
    with contestants(words, timeout=60) as agents:
        own, careful, bot = agents
        assert isinstance(own, RandomAgent)
        assert isinstance(careful, FileAgent)
        assert isinstance(bot, ProgramAgent)
        assert [agent.spec for agent in agents] == words
        assert careful.timeout == bot.timeout == 60
        view = position("common 11246/?????/????? A 9x4")
        answers = [agent.decide(view, agent.new_memory(), stream_of(1)) for agent in agents[1:]]
        assert [str(answer.action) for answer in answers] == ["9x6", "dudo"]


@pytest.mark.parametrize(
    "word, problem",
    [
        ("nobody", "unknown agent 'nobody'"),
        ("nobody", "or a class from a file, my_agent.py:Careful, or a program, cmd:node bot.js"),
        ("random:colour=red", "random has no parameter 'colour'"),
        ("nowhere.py:Mine", "file 'nowhere.py' not found"),
        ("cmd:", "write a command after cmd:"),
        ("cmd:no-such-program", "program 'no-such-program' not found"),
    ],
)
def test_a_word_that_names_nobody_is_refused(word: str, problem: str) -> None:
    with pytest.raises(PerudoError) as caught:
        contestant(word)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_list_of_words_may_hold_files_and_commands() -> None:
    text = f"random,{CAREFUL}:courage=0.4,cmd:node bot.js --level=3,{CAREFUL}"
    assert split_agents(text) == [
        "random",
        f"{CAREFUL}:courage=0.4",
        "cmd:node bot.js --level=3",
        CAREFUL,
    ]


def test_if_one_cannot_be_had_none_is_left_running(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []

    class Noted(FileAgent):
        def __init__(self, word: str, timeout: float) -> None:
            super().__init__(word, timeout)
            assert self._process is not None
            started.append(self._process.pid)

    monkeypatch.setattr(contestants_module, "FileAgent", Noted)
    nobody = pytest.raises(PerudoError, match="unknown agent 'nobody'")
    with nobody, contestants([CAREFUL, "nobody"]):
        pass
    (pid,) = started
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_packages_own_names_are_told_from_files() -> None:
    assert not any(".py" in name or name.startswith("cmd") for name in AGENTS)
