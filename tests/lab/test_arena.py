"""The arena: the same games on any number of workers, at tables, and interrupted."""

from __future__ import annotations

import concurrent.futures
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perudo.agents import Agent, CompiledAgent, Decision, Player, agent_named
from perudo.agents.champion.knowledge import shipped
from perudo.agents.champion.two_player_book import open_book
from perudo.games import game_named
from perudo.games.chance import Stream
from perudo.games.errors import AgentError, PerudoError
from perudo.games.game import Record, State
from perudo.games.kernel import kernel
from perudo.games.perudo import PERUDO, Rules
from perudo.games.policy import Memory, Parameters, begin, surely
from perudo.lab import arena, tables
from perudo.lab.contest import Contest, Results, interval

TIMES = ("seconds", "games_per_second", "mean_ms_per_decision", "max_ms_per_decision")


def contest(*agents: str, rules: str = "official", games: int = 40, **options: Any) -> Contest:
    return Contest(
        PERUDO, Rules.parse(rules), [agent_named(name) for name in agents], games, **options
    )


def untimed(data: Any) -> Any:
    """Figures without what the clock says."""
    if isinstance(data, dict):
        return {key: untimed(value) for key, value in data.items() if key not in TIMES}
    return [untimed(value) for value in data] if isinstance(data, list) else data


def assert_same_games(one: Results, other: Results) -> None:
    for name in ("seats", "wins", "scores", "rounds", "counters", "effort"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert untimed(one.data(1.0)) == untimed(other.data(1.0))


@pytest.mark.parametrize("mode", ["games", "rounds"])
@pytest.mark.parametrize("seating", ["shuffled", "fixed"])
@pytest.mark.parametrize("rules", ["official", "common_palafico", "perudish_n", "wikipedia"])
def test_arena_and_table_play_the_same_games(rules: str, seating: str, mode: str) -> None:
    match = contest(
        "probabilistic", "random", "random:call=0.5", rules=rules, seating=seating, mode=mode
    )
    assert_same_games(arena.run(match), tables.run(match))


def test_workers_do_not_change_the_result() -> None:
    match = contest("probabilistic", "random:call=0.5", "random", games=3000)
    assert_same_games(arena.run(match, 1), arena.run(match, 2))


def test_another_seed_gives_other_games() -> None:
    match = contest("probabilistic", "random", games=50)
    one, other = arena.run(match), arena.run(replace(match, seed=2))
    assert not np.array_equal(one.rounds, other.rounds)


def test_other_games_meet_in_the_arena_too() -> None:
    for name, players in (("king_up", 3), ("rock_paper_scissors", 2)):
        game = game_named(name)
        setting = game.setting(game.presets[0])
        match = Contest(game, setting, [agent_named("random")] * players, 60)
        results = arena.run(match)
        assert_same_games(results, tables.run(match))
        assert results.wins.sum() == pytest.approx(60)


def test_every_game_has_a_winner_and_dice_are_accounted_for() -> None:
    match = contest("probabilistic", "random", "random:call=0.5", rules="common", games=200)
    results = arena.run(match)
    assert np.array_equal(results.wins.sum(axis=1), np.ones(200))
    data = results.data(1.0)
    # Under `common` one die is lost a round, nobody gains one, and the winner keeps some.
    lost = sum(agent["dice_lost"] for agent in data["agents"])
    assert lost == data["rounds"] == sum(agent["rounds_lost"] for agent in data["agents"])
    reasons = sum(a["lost_by_high_bid"] + a["lost_by_early_dudo"] for a in data["agents"])
    assert reasons == lost
    left = sum((agent["mean_dice_left_when_won"] or 0) * agent["wins"] for agent in data["agents"])
    assert left + lost == pytest.approx(200 * 15)
    assert sum(agent["dudos"] for agent in data["agents"]) == data["rounds"]
    for agent in data["agents"]:
        assert sum(seat["games"] for seat in agent["by_seat"]) == 200
        assert sum(seat["wins"] for seat in agent["by_seat"]) == agent["wins"]


def test_a_round_is_won_by_those_who_lost_nothing() -> None:
    """One loser a round under `common`: with three players two thirds of entries win."""
    results = arena.run(contest("probabilistic", "random", "random", rules="common", mode="rounds"))
    assert np.array_equal(results.wins.sum(axis=1), np.full(40, 2.0))
    assert np.array_equal(results.rounds, np.ones(40))


def test_seats_are_shuffled_evenly_or_stay() -> None:
    match = contest("random:call=0.5", "random:call=0.5", "random:call=0.5", games=6000)
    shuffled = arena.run(match).seats
    for agent in range(3):
        share = np.bincount(shuffled[:, agent], minlength=3) / 6000
        assert np.all(abs(share - 1 / 3) < 0.03)  # five standard errors
    fixed = arena.run(replace(match, seating="fixed", games=10)).seats
    assert np.array_equal(fixed, np.tile([0, 1, 2], (10, 1)))


def test_dice_are_given_by_seat() -> None:
    match = contest("random:call=0.5", "random:call=0.5", dice=[1, 5], seating="fixed", games=400)
    wins = arena.run(match).wins.sum(axis=0)
    assert wins[1] > 2 * wins[0]


@kernel
def decide_wrongly(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    begin(thoughts)
    return surely(thoughts, 8 * int(observation.total) + 8 + 3)


@dataclass(frozen=True)
class Wrong(CompiledAgent):
    """Bids one die more than there are."""

    name = "wrong"
    policy = decide_wrongly


@pytest.mark.parametrize("run", [arena.run, tables.run])
def test_an_illegal_move_is_reported_with_agent_and_position(run: Any) -> None:
    match = Contest(PERUDO, Rules.preset("common"), [Wrong(), agent_named("random")], 10)
    results = run(match)
    assert results.games == 0
    assert isinstance(results.failure, AgentError)
    message = str(results.failure)
    assert "agent wrong: 11x3 " in message
    assert ", in position 'common " in message
    assert "?????" in message  # the position is what the agent saw


class Crashing(Agent):
    def __init__(self, after: int) -> None:
        self.decisions = after

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        self.decisions -= 1
        if self.decisions < 0:
            raise ZeroDivisionError("oh no")
        return "dudo" if "dudo" in observation.legal_actions else observation.legal_actions[0]


def test_what_was_played_before_a_crash_is_kept() -> None:
    match = Contest(PERUDO, Rules.preset("common"), [Crashing(100), agent_named("random")], 50)
    results = tables.run(match)
    assert 0 < results.games < 50
    assert results.wins.sum() == results.games
    assert "agent Crashing: raised ZeroDivisionError: oh no" in str(results.failure)
    assert ", in position 'common " in str(results.failure)


class Garbage(Agent):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return {"what": "ever"}


def test_garbage_is_not_an_action() -> None:
    results = tables.run(Contest(PERUDO, Rules.preset("uk"), [Garbage(), Garbage()], 3))
    assert "agent Garbage: {'what': 'ever'} is not an action" in str(results.failure)


class Counting(Agent):
    """Remembers in its memory how many rounds it has seen of each seat, and bets on nothing."""

    memory_width = 1
    seen: list[float]

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return observation.legal_actions[-1]

    def learn(self, observation: Any, memory: Memory) -> None:
        memory[:, 0] += 1
        self.seen = [*getattr(self, "seen", []), float(memory[0, 0])]


def test_memories_last_a_series() -> None:
    agent = Counting()
    match = Contest(
        PERUDO, Rules.preset("common"), [agent, agent_named("random")], 6, mode="rounds", series=3
    )
    tables.run(match)
    assert agent.seen == [1, 2, 3, 1, 2, 3]


class Batching(Agent):
    sizes: list[int]

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        raise AssertionError("act_batch is there")

    def act_batch(self, observations: Any, memories: Any, streams: Any) -> list[Any]:
        self.sizes = [*getattr(self, "sizes", []), len(observations)]
        return [observation.legal_actions[-1] for observation in observations]


def test_batches_play_games_side_by_side() -> None:
    agent = Batching()
    results = tables.run(
        Contest(PERUDO, Rules.preset("common"), [agent, agent_named("random")], 100)
    )
    assert results.games == 100
    assert results.failure is None
    assert max(agent.sizes) > 20


class Thinking(Agent):
    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        return Decision(observation.legal_actions[0])


def test_an_interrupted_run_keeps_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C arrives while the main thread waits for its workers."""
    match = contest("probabilistic", "random", games=10_000_000)
    arena.run(replace(match, games=1))  # compile before the clock runs
    waited = concurrent.futures.wait
    started = time.monotonic()

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if time.monotonic() - started > 0.5 and "timeout" in options:
            raise KeyboardInterrupt
        return waited(*arguments, **options)

    monkeypatch.setattr(arena, "wait", interrupted)
    results = arena.run(match, 2)
    assert results.interrupted
    assert 0 < results.games < match.games
    assert results.wins.sum() == results.games
    assert threading.active_count() == 1


def test_who_cannot_play_says_so() -> None:
    game = game_named("king_up")
    with pytest.raises(PerudoError, match="probabilistic plays perudo, not king_up"):
        Contest(game, game.setting("thesis"), [agent_named("probabilistic")] * 3, 1)
    with pytest.raises(PerudoError, match="mode is games or rounds"):
        contest("random", "random", mode="hands")


def test_a_contest_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing files are reported when the games begin."""
    monkeypatch.setenv("PERUDO_BOOKS", str(tmp_path))
    monkeypatch.setattr("perudo.agents.papers.cfr._solving", [])
    for module in ("knowledge.FILE", "two_player_book.BOOK"):
        monkeypatch.setattr(f"perudo.agents.champion.{module}", "missing.file")
    shipped.cache_clear()
    open_book.cache_clear()
    champions, solved = contest("champion", "cfr", games=1), contest("cfr", "random", games=1)
    for run in (arena.run, tables.run):
        with pytest.raises(PerudoError, match=r"cannot read missing\.file: No such file"):
            run(champions)
        with pytest.raises(PerudoError, match="has not been solved for"):
            run(solved)


class Opened(Agent):
    """Has a player that knows whether it is open."""

    def __init__(self) -> None:
        self.players: list[Opened] = []
        self.closed = False

    def prepare(self, start: State) -> Player:
        self.players.append(Opened())
        return self.players[-1]

    def decide(self, observation: Any, memory: Memory, stream: Stream) -> Any:
        assert not self.closed
        return observation.legal_actions[0]

    def close(self) -> None:
        self.closed = True


def test_players_are_closed_after_a_contest() -> None:
    agents = [Opened(), Opened()]
    match = Contest(PERUDO, Rules.preset("common"), agents, 3)
    assert not any(agent.players for agent in agents)
    assert tables.run(match).games == 3
    for agent in agents:
        assert [player.closed for player in agent.players] == [True]


def test_intervals_are_wilsons() -> None:
    """Wilson (1927): for 0 of 10 the upper end is z^2 / (n + z^2) = 3.8415 / 13.8415 = 0.2775."""
    low, high = interval(0, 10) or (0, 0)
    assert low == 0
    assert high == pytest.approx(0.2775, abs=1e-4)
    assert interval(0, 0) is None


def test_the_arena_runs_interpreted() -> None:
    """On a worker thread too, where NumPy would warn of the arithmetic that wraps around."""
    command = "-m perudo match random probabilistic --games 2 --workers 2 --json"
    found = subprocess.run(
        [sys.executable, "-W", "error", *command.split()],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (found.returncode, found.stderr) == (0, "")
    compiled = arena.run(contest("random", "probabilistic", games=2))
    assert untimed(json.loads(found.stdout)) == untimed(compiled.data(1.0))
