"""Agents in this process that raise, hang, or do what they may not."""

from __future__ import annotations

import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from perudo.agents import agent_named
from perudo.agents.agent import Agent, Decision
from perudo.agents.external.program import ProgramAgent
from perudo.agents.external.time_limit import decide_within
from perudo.agents.human import HumanAgent
from perudo.games.chance import stream_of
from perudo.games.errors import AgentError
from perudo.games.perudo import Bid, Dudo, position
from perudo.games.policy import Memory
from perudo.games.rock_paper_scissors import ROCK_PAPER_SCISSORS

VIEW = "common 1144/????/???? A 2x3,3x4"


class Answering(Agent):
    """Returns a given answer, or calls a given function."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def decide(self, observation: Any, memory: Memory, stream: Any) -> Any:
        return self._answer() if callable(self._answer) else self._answer


def ask(agent: Agent, seconds: float | None = 20.0) -> Decision:
    return decide_within(agent, position(VIEW), agent.new_memory(), stream_of(1), seconds)


@pytest.mark.parametrize("answer", ["4x4", Bid(4, 4), Bid(4, 4).code, Decision("4x4")])
def test_a_legal_answer_becomes_a_decision(answer: Any) -> None:
    assert ask(Answering(answer)) == Decision(Bid(4, 4))


def test_the_packages_own_agents_decide_as_always() -> None:
    agent = agent_named("random")
    expected = agent.decide(position(VIEW), agent.new_memory(), stream_of(1))
    assert ask(agent) == expected


@pytest.mark.parametrize(
    "answer, problem",
    [
        ("3x4", "3x4 is not legal: it is not higher than the standing 3x4; legal: "),
        ("nothing", "'nothing' is not an action"),
        (None, "None is not an action"),
        (True, "True is not an action"),
        (10**12, "1000000000000 is not the number of an action"),
        (lambda: 1 / 0, "raised ZeroDivisionError: division by zero (test_time_limit.py, line "),
        (lambda: sys.modules["nowhere"], "raised KeyError: 'nowhere' (test_time_limit.py, line "),
    ],
)
def test_what_an_agent_does_wrong_is_said_with_its_name_and_the_position(
    answer: Any, problem: str
) -> None:
    with pytest.raises(AgentError) as caught:
        ask(Answering(answer))
    assert str(caught.value).startswith(f"agent Answering: {problem}")
    assert str(caught.value).endswith(f", in position {VIEW!r}")


def forever() -> None:
    while True:
        try:
            time.sleep(0.01)
        except Exception:  # a loop that swallows everything must end too
            continue


def test_an_agent_that_hangs_is_interrupted() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(AgentError, match=r"agent Answering: did not answer within 0.2 s, in posit"):
        ask(Answering(forever), 0.2)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_alarm_that_was_set_before_still_rings() -> None:
    rung = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        ask(Answering("dudo"), 5.0)
        deadline = time.monotonic() + 10
        while not rung and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


def test_in_another_thread_being_late_is_noticed_afterwards() -> None:
    failures: list[str] = []

    def slow() -> str:
        time.sleep(0.1)
        return "dudo"

    late, quick = Answering(slow), Answering("dudo")
    view, memory, stream = position(VIEW), late.new_memory(), stream_of(1)
    decisions: list[Decision] = []

    def work() -> None:
        decisions.append(decide_within(quick, view, memory, stream, 20.0))
        try:
            decide_within(late, view, memory, stream, 0.05)
        except AgentError as error:
            failures.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert decisions == [Decision(Dudo)]
    assert len(failures) == 1
    assert "did not answer within 0.05 s" in failures[0]


def test_there_may_be_no_limit() -> None:
    assert ask(Answering("dudo"), None) == Decision(Dudo)


def test_a_person_is_not_hurried_and_may_leave() -> None:
    def slowly(prompt: str) -> str:
        time.sleep(0.1)
        return "dudo"

    def leave(prompt: str) -> str:
        raise EOFError

    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    assert ask(HumanAgent(slowly, lambda line: None), 0.01) == Decision(Dudo)
    with pytest.raises(EOFError):
        ask(HumanAgent(leave, lambda line: None))
    with pytest.raises(KeyboardInterrupt):
        ask(HumanAgent(interrupt, lambda line: None))


def test_a_program_gets_the_same_limit(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import time; time.sleep(600)", encoding="utf-8")
    with (
        ProgramAgent(f"{sys.executable} -S {bot}", timeout=600) as program,
        pytest.raises(AgentError, match=r"did not answer within 0\.2 s"),
    ):
        ask(program, 0.2)


def test_a_game_without_notation_is_described() -> None:
    view = ROCK_PAPER_SCISSORS.start(ROCK_PAPER_SCISSORS.setting("standard"), 2).observe(0)
    agent = Answering("lizard")
    with pytest.raises(AgentError, match=r"in position 'Rock-paper-scissors \| A: to throw \| B: "):
        decide_within(agent, view, agent.new_memory(), stream_of(1), 5.0)
