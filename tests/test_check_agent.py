"""``check_agent`` passes good agents and says what is wrong with bad ones."""

from __future__ import annotations

import gc
import random
import sys
import threading
import time
from typing import Any, cast

import numpy as np
import pytest

import perudo
from perudo.agents import Agent, Decision, Thoughts
from perudo.agents.papers.probabilistic import Probabilistic
from perudo.agents.random_agent import RandomAgent
from perudo.games import games
from perudo.games.chance import Stream, below, stream_of
from perudo.games.errors import AgentError
from perudo.games.game import Game
from perudo.games.perudo import PERUDO, PRESETS, Rules
from perudo.games.perudo.game import Deal
from perudo.games.policy import Memory
from perudo.table import SeededDice, Table
from perudo.testing import ContractError, check_agent
from perudo.testing.agent_check import redeal_behind


class Lowest(Agent):
    """A good agent in plain Python: what comes first, and dudo now and then."""

    name = "lowest"

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        legal = observation.legal_actions
        return legal[-1] if below(stream, 4) == 0 else legal[0]


# --- agents that keep the contract --------------------------------------------------------------
@pytest.mark.parametrize("agent", [Lowest(), RandomAgent(), Probabilistic()], ids=lambda a: a.name)
def test_a_good_agent_passes(agent: Agent) -> None:
    report = check_agent(agent, positions=200)
    assert report.decisions == 200
    assert report.presets_played == list(PRESETS)
    assert report.presets_refused == {}
    assert 0 < report.mean_milliseconds <= report.max_milliseconds
    assert report.sampled_only == (agent.name == "lowest")
    assert report.repeatable
    assert report.matches >= len(PRESETS)
    assert f"{agent.name}: 200 decisions" in str(report)


@pytest.mark.parametrize("name", list(games()))
def test_every_game_can_be_checked_with(name: str) -> None:
    game = games()[name]
    assert check_agent(RandomAgent(), game=game, positions=60).decisions == 60


def test_positions_may_be_few_and_presets_chosen() -> None:
    report = check_agent(Lowest(), positions=5, presets=["common", "openspiel:dice=2"])
    assert report.decisions == 5
    assert report.presets_played == ["common", "openspiel:dice=2"]


def test_what_an_agent_cannot_play_is_reported() -> None:
    class Duellist(Lowest):
        def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
            if setting.calza:
                return "it knows no calza"
            return "it plays against one" if players > 2 else None

    report = check_agent(Duellist(), positions=50)
    assert report.presets_refused["official"] == "it knows no calza"
    assert report.presets_refused["common with 3 players"] == "it plays against one"
    assert "common" in report.presets_played
    assert "official" not in report.presets_played
    assert "cannot play official: it knows no calza" in str(report)


def test_an_agent_that_can_play_nothing_is_no_failure() -> None:
    report = check_agent(Probabilistic(), game=games()["king_up"])
    assert report.decisions == 0
    assert set(report.presets_refused) == set(games()["king_up"].presets)


def test_an_agent_that_looks_at_the_clock_is_not_asked_to_repeat_itself() -> None:
    class Hurried(Whimsical):
        uses_clock = True

    report = check_agent(Hurried(), positions=100)
    assert not report.repeatable
    assert "depends on the clock" in str(report)


def test_an_agent_learns_in_its_checks() -> None:
    class Learner(Lowest):
        memory_width = 1
        most = 0.0

        def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
            type(self).most = max(self.most, memory[0, 0])
            return super().decide(observation, memory, stream)

        def learn(self, observation: Any, memory: Memory) -> None:
            assert observation.round_over
            memory[0, 0] += 1

    check_agent(Learner(), positions=100, presets=["common"])
    assert Learner.most > 2


# --- agents that do not -------------------------------------------------------------------------
class Crashing(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return 1 // 0


class Leaving(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        sys.exit(3)


class Hanging(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        while True:
            pass


class Sleepy(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        time.sleep(0.3)
        return super().decide(observation, memory, stream)


class Illegal(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return "dudo"  # also at the opening


class Whimsical(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return random.choice(list(observation.legal_actions))


class Moody(Lowest):
    """Its state is in itself, not in the memory."""

    calls = 0

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        self.calls += 1
        return observation.legal_actions[self.calls % 3 - 1]


class Scribbling(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        memory[1, 0] += 1
        return super().decide(observation, memory, stream)


class Vandal(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        action = super().decide(observation, memory, stream)
        observation._record.total += 1
        return action


class BadPupil(Lowest):
    def learn(self, observation: Any, memory: Memory) -> None:
        raise ValueError("too hard")


class FancifulPupil(Lowest):
    def learn(self, observation: Any, memory: Memory) -> None:
        memory[0, 0] = random.random()


class Undecided(Lowest):
    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        raise LookupError("no idea")


@pytest.mark.parametrize(
    "agent, problem, cause",
    [
        (Crashing(), "ZeroDivisionError", ZeroDivisionError),
        (Leaving(), "SystemExit", SystemExit),
        (Hanging(), "did not answer within 0.2 s", AgentError),
        (Sleepy(), "did not answer within 0.2 s", AgentError),
        (Illegal(), "dudo", AgentError),
        (Whimsical(), "not repeatable", None),
        (Moody(), "not repeatable", None),
        (Scribbling(), "changed the memory", None),
        (Vandal(), "changed the observation", None),
        (BadPupil(), "learn raised ValueError", ValueError),
        (FancifulPupil(), "different memories", None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Agent) else "",
)
def test_what_is_wrong_is_said(
    agent: Agent, problem: str, cause: type[BaseException] | None
) -> None:
    started = time.monotonic()
    with pytest.raises(ContractError, match=problem) as caught:
        check_agent(agent, positions=300, seconds_per_decision=0.2)
    assert "agent lowest: " in str(caught.value)
    assert ", in position '" in str(caught.value)
    assert type(caught.value.__cause__) is (type(None) if cause is None else cause)
    assert time.monotonic() - started < 20


def test_the_position_can_be_set_up_again() -> None:
    with pytest.raises(ContractError) as caught:
        check_agent(Illegal(), positions=300, presets=["common"])
    text = str(caught.value).split("in position ")[1].strip("'")
    assert "dudo" not in perudo.position(text).legal_actions


def test_a_refusal_that_crashes_is_found() -> None:
    with pytest.raises(ContractError, match="cannot_play raised LookupError"):
        check_agent(Undecided())


@pytest.mark.parametrize("garbage", [None, object(), 3.7, "hello", "9x9", [], b"3x4", -5, 10**12])
def test_garbage_is_refused(garbage: Any) -> None:
    class Babbling(Lowest):
        def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
            return garbage

    with pytest.raises(ContractError, match=r"agent lowest: .*in position"):
        check_agent(Babbling())


def test_in_another_thread_slowness_is_noticed_late_but_noticed() -> None:
    caught: list[BaseException] = []

    def run() -> None:
        np.seterr(over="ignore")  # hashes wrap around; interpreted, each thread must be told
        try:
            check_agent(Sleepy(), seconds_per_decision=0.1)
        except ContractError as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert "did not answer within 0.1 s" in str(caught[0])


# --- stated chances -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "chances, problem",
    [
        ({"1x2": 0.5}, "sum to 0.5, not 1"),
        ({"1x2": 1.5, "1x3": -0.5}, "chance of 1.5 for 1x2"),
        ({"1x2": float("nan"), "1x3": 1.0}, "chance of nan"),
        ({"1x2": 0.5, "80x6": 0.5}, "80x6, which is illegal"),
        ({"1x3": 1.0}, "chose 1x2, which it states has no chance"),
        ({"1x2": 0.5, "huh": 0.5}, "'huh', which is no action"),
    ],
)
def test_chances_must_be_right(chances: dict[str, float], problem: str) -> None:
    class Boasting(Lowest):
        def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
            if observation.bid is not None:
                return "dudo"
            return Decision("1x2", Thoughts(chances, {}))

    with pytest.raises(ContractError, match=problem):
        check_agent(Boasting(), presets=["common"])


def test_thoughts_must_be_thoughts() -> None:
    class Mumbling(Lowest):
        def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
            action: Any = super().decide(observation, memory, stream)
            return Decision(action, "hm")  # type: ignore[arg-type]  # that is the point

    with pytest.raises(ContractError, match="not Thoughts"):
        check_agent(Mumbling())


# --- cheats -------------------------------------------------------------------------------------
def table_in_sight() -> Table:
    """Return the table of the calling check, found through its frames."""
    frame = sys._getframe()
    while not isinstance(table := frame.f_locals.get("table"), Table):
        assert frame.f_back is not None
        frame = frame.f_back
    return table


def answer_of_a_cheat(observation: Any, table: Table) -> Any:
    """Dudo if the bid is false, else the lowest bid."""
    hands = table.state.record.hands
    bid = observation.bid
    if bid is None or observation.record.passer >= 0 or "dudo" not in observation.legal_actions:
        return observation.legal_actions[0]
    record = observation.record
    wild = int(record.wild_face)
    faces = {bid.face, wild} if wild else {bid.face}
    count = sum((int(hand) >> (8 * face)) & 255 for hand in hands for face in faces)
    return "dudo" if count < bid.quantity else observation.legal_actions[0]


class CheatByFrame(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return answer_of_a_cheat(observation, table_in_sight())


class CheatByCollector(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        for thing in gc.get_objects():
            # not isinstance: what is left of a weak reference would answer with an error
            if issubclass(type(thing), Table) and thing.observe(observation.viewer) == observation:
                return answer_of_a_cheat(observation, thing)
        raise AssertionError("no table to look at")


class CheatByLog(Lowest):
    """Reads the dice in the log of the match."""

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        events = table_in_sight().record.events
        deal = next(event for event in reversed(events) if event["event"] == "deal")
        sixes = "".join(hand or "" for hand in cast(Deal, deal)["dice"]).count("6")
        return observation.legal_actions[sixes % len(observation.legal_actions)]


_seen: list[Table] = []
"""A global that a table is left in."""


class CheatByGlobal(Lowest):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return answer_of_a_cheat(observation, _seen[-1])


@pytest.mark.parametrize("agent", [CheatByFrame(), CheatByCollector(), CheatByLog()])
def test_a_cheat_is_found_out(agent: Agent) -> None:
    with pytest.raises(ContractError, match="uses hidden information"):
        check_agent(agent, positions=300, presets=["common", "official"])


def test_a_cheat_through_a_global_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class LeakyTable(Table):
        def __init__(self, *arguments: Any, **start: Any) -> None:
            super().__init__(*arguments, **start)
            _seen.append(self)

    monkeypatch.setattr("perudo.testing.agent_check.Table", LeakyTable)
    with pytest.raises(ContractError, match="uses hidden information"):
        check_agent(CheatByGlobal(), positions=300, presets=["common"])
    _seen.clear()


def test_a_cheat_that_only_states_what_it_saw_is_found_out() -> None:
    class Subtle(Lowest):
        def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
            first, *rest = observation.legal_actions
            true_hands = table_in_sight().state.record.hands
            part = 0.5 + (int(true_hands.sum()) % 97) / 200
            return Decision(first, Thoughts({str(first): part, str(rest[0]): 1 - part}, {}))

    with pytest.raises(ContractError, match="uses hidden information"):
        check_agent(Subtle(), presets=["common"])


def test_a_table_dealt_again_shows_only_the_new_dice() -> None:
    """The seat sees what it saw; state, views and log all hold the new dice, and replay."""
    table = Table(PERUDO, Rules.preset("common"), ["a", "b", "c"], SeededDice(4))
    first = table.actor
    assert first is not None
    table.act(first, "2x3")
    seat = table.actor
    assert seat is not None
    before, seen = table.state, table.observe(seat)
    old = [str(view) for _, view in table.story(seat)]
    redeal_behind(table, seat, stream_of(5))
    assert table.state != before
    assert table.observe(seat) == seen
    assert [str(view) for _, view in table.story(seat)] == old
    replayed = [state for _, state in table.record.replay()]
    assert replayed[-1] == table.state
    assert np.array_equal(table.state.record.hands[seat], before.record.hands[seat])
