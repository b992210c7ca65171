"""Classes from files in a process of their own: the same decisions, and nothing that they break."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from perudo.agents.agent import Decision, Thoughts
from perudo.agents.external.file_agent import FileAgent
from perudo.agents.external.loading import load_agent
from perudo.games.chance import stream_of
from perudo.games.errors import AgentError, PerudoError
from perudo.games.perudo import PERUDO, PRESETS, Dudo, PerudoState, position
from perudo.games.rock_paper_scissors import ROCK_PAPER_SCISSORS
from strategies import wander

VIEW = "common 1144/????/???? A 2x3,3x4"

MINE = '''
import os, sys, time
from perudo.agents.agent import Agent, CompiledAgent, Decision, Thoughts
from perudo.games.chance import below

class Lucky(Agent):
    """Draws, remembers, thinks aloud, and prints."""
    memory_width = 2
    def decide(self, observation, memory, stream):
        print("thinking", flush=True)
        legal = observation.legal_actions
        action = legal[int(below(stream, len(legal)))]
        memory[observation.viewer, 1] += observation.players
        values = {str(action): float("nan")}
        return Decision(action, Thoughts({str(action): 1.0}, values, phase="calm", rollouts=3))
    def learn(self, observation, memory):
        memory[:, 0] = observation.outcome.lost[0]
    def cannot_play(self, game, setting, players):
        return "not with so many" if players > 5 else None

class Several(Lucky):
    def act_batch(self, observations, memories, streams):
        return [self.decide(*each) for each in zip(observations, memories, streams)]

class Trouble:
    """Does what the standing bid says."""
    def __init__(self):
        self.told = []
    def sit(self, game, setting, seat, players):
        self.told.append((game.name, setting.dice, seat, *players))
    def leave(self, observation):
        raise RuntimeError(f"told {self.told}, won by {observation.winner}")
    def decide(self, observation, memory, stream):
        bid = str(observation.bid)
        if bid == "1x2":
            raise KeyError("lost")
        if bid == "1x3":
            print("going down", file=sys.stderr)
            os._exit(7)
        if bid == "1x4":
            while True:
                time.sleep(1)
        if bid == "1x5":
            return "1x5"
        if bid == "1x6":
            return None
        if bid == "2x2":
            return input()
        return Decision("dudo")
'''


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agents") / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def lucky(mine: Path) -> Iterator[FileAgent]:
    with FileAgent(f"{mine}:Lucky") as agent:
        yield agent


@pytest.fixture(scope="module")
def trouble(mine: Path) -> Iterator[FileAgent]:
    with FileAgent(f"{mine}:Trouble") as agent:
        yield agent


def some_views(count: int) -> list[PerudoState]:
    views = []
    for index in range(count):
        rules = PRESETS[list(PRESETS)[index % len(PRESETS)]].rules
        state = wander(PERUDO.start(rules, 2), 1 + index // 2, index)
        state = state.deal(index) if state.awaits_deal else state
        if state.actor is not None:
            views.append(state.observe(state.actor))
    return views


def test_it_decides_as_it_would_in_this_process(mine: Path, lucky: FileAgent) -> None:
    here = load_agent(f"{mine}:Lucky")
    views = some_views(120)
    assert len(views) > 60
    memories = [here.new_memory(), lucky.new_memory()]
    assert memories[0].shape == memories[1].shape == (10, 2)
    for seed, view in enumerate(views):
        streams = [stream_of(seed), stream_of(seed)]
        expected = here.decide(view, memories[0], streams[0])
        decision = lucky.decide(view, memories[1], streams[1])
        assert decision.action == expected.action
        assert decision.thoughts is not None
        assert repr(decision.thoughts) == repr(expected.thoughts)  # it has a NaN
        assert streams[0] == streams[1] != stream_of(seed)
        assert (memories[0] == memories[1]).all()
    assert memories[1].any()


def test_it_learns_as_it_would_in_this_process(mine: Path, lucky: FileAgent) -> None:
    here = load_agent(f"{mine}:Lucky")
    settled = position("common 12/34 A 2x4").apply("dudo").observe(0)
    wide = [np.full((10, 5), 8.0) for _ in range(2)]  # others at the table remember more
    here.learn(settled, wide[0])
    lucky.learn(settled, wide[1])
    assert (wide[0] == wide[1]).all()
    assert wide[1][0, 0] != 8.0


def test_what_a_class_says_about_itself_is_known(lucky: FileAgent, mine: Path) -> None:
    assert lucky.spec == f"{mine}:Lucky"
    assert lucky.memory_width == 2
    assert not lucky.uses_clock
    assert not hasattr(lucky, "act_batch")
    assert lucky.cannot_play(PERUDO, PERUDO.setting("common"), 3) is None
    assert lucky.cannot_play(PERUDO, PERUDO.setting("common"), 6) == "not with so many"


def test_any_game_can_be_played(lucky: FileAgent) -> None:
    view = ROCK_PAPER_SCISSORS.start(ROCK_PAPER_SCISSORS.setting("standard"), 2).observe(0)
    action = lucky.decide(view, lucky.new_memory(), stream_of(1)).action
    assert action in ("rock", "paper", "scissors")


def test_many_decisions_in_one_message(mine: Path) -> None:
    views = some_views(50)
    with FileAgent(f"{mine}:Several") as agent:
        one_by_one = [
            agent.decide(view, agent.new_memory(), stream_of(seed)).action
            for seed, view in enumerate(views)
        ]
        memories = [agent.new_memory() for _ in views]
        streams = [stream_of(seed) for seed in range(len(views))]
        decisions = agent.act_batch(views, memories, streams)
    assert [decision.action for decision in decisions] == one_by_one
    assert all(memory.any() for memory in memories)
    assert all(stream != stream_of(seed) for seed, stream in enumerate(streams))


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(MINE.splitlines(), 1) if text in line)


FAILURES = {
    "raises": ("1x2", f"raised KeyError: 'lost' (mine.py, line {line_of('KeyError')})"),
    "ends": ("1x3", "ended with exit code 7 (it said: going down)"),
    "illegal": ("1x5", "1x5 is not legal: it is not higher than the standing 1x5; legal: "),
    "no action": ("1x6", "None is not an action"),
    "reads": (
        "2x2",
        f"raised EOFError: EOF when reading a line (mine.py, line {line_of('input')})",
    ),
}


@pytest.mark.parametrize("bid, problem", FAILURES.values(), ids=FAILURES.keys())
def test_what_a_class_does_wrong_is_said_with_its_name_and_the_position(
    trouble: FileAgent, bid: str, problem: str
) -> None:
    notation = f"common 1144/????/???? A {bid}"
    with pytest.raises(AgentError) as caught:
        trouble.decide(position(notation), trouble.new_memory(), stream_of(1))
    assert str(caught.value).startswith(f"agent {trouble.spec}: {problem}")
    assert str(caught.value).endswith(f", in position {notation!r}")


def test_a_class_that_hangs_is_killed_and_can_play_again(trouble: FileAgent) -> None:
    pid = os.getpid()
    hang = position("common 1144/????/???? A 1x4")
    trouble.decide(position(VIEW), trouble.new_memory(), stream_of(1))
    process = trouble._process
    assert process is not None
    with pytest.raises(AgentError, match=r"did not answer within 0.5 s, in position 'common 1144/"):
        trouble.decide_within(hang, trouble.new_memory(), stream_of(1), 0.5)
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
    assert os.getpid() == pid
    again = trouble.decide(position(VIEW), trouble.new_memory(), stream_of(1))
    assert again == Decision(Dudo)


def test_matches_are_announced_to_a_class_that_listens(trouble: FileAgent) -> None:
    rules = PERUDO.setting("common:dice=2")
    trouble.sit(PERUDO, rules, 1, ["me", "you"])
    over = position("common 2/3 A 1x3").apply("dudo").observe(1)
    told = r"raised RuntimeError: told \[\('perudo', 2, 1, 'me', 'you'\)\], won by 1"
    with pytest.raises(AgentError, match=told):
        trouble.leave(over)


def test_what_is_wrong_with_the_file_is_said_before_anything_is_played(mine: Path) -> None:
    with pytest.raises(PerudoError) as caught:
        FileAgent(f"{mine}:Nobody")
    assert str(caught.value) == f"{mine} has no class 'Nobody'; its agents: Lucky, Several, Trouble"


def test_a_closed_agent_leaves_no_process(mine: Path) -> None:
    agent = FileAgent(f"{mine}:Lucky")
    process = agent._process
    assert process is not None
    started = time.monotonic()
    agent.close()
    assert time.monotonic() - started < 30
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
    agent.close()


def test_thoughts_survive_the_journey(lucky: FileAgent) -> None:
    thoughts = lucky.decide(position(VIEW), lucky.new_memory(), stream_of(4)).thoughts
    assert isinstance(thoughts, Thoughts)
    assert (thoughts.phase, thoughts.rollouts, thoughts.chance) == ("calm", 3, None)
