"""Contests played at tables, for agents that are not compiled: Python classes and programs.

Each game has the same dice, seats and random streams as in the arena. Agents that can decide many
positions at once (``act_batch``) play many games side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from perudo.agents.agent import CompiledPlayer, Decision, Player
from perudo.agents.external.time_limit import decide_within
from perudo.agents.mistakes import agent_error, checked, raised
from perudo.games.chance import combine, key_of
from perudo.games.errors import AgentError
from perudo.games.game import MATCH, ROUND, SEATS, SPECTATOR
from perudo.games.policy import Memory
from perudo.lab.arena import LUCK, seat_memories, take_seats, win_share
from perudo.lab.contest import Contest, Results
from perudo.table import KeyedDice, Table

SIDE_BY_SIDE = 64
"""Games played at once if an agent decides in batches."""


class TableGame:
    """One game of a contest at its table."""

    def __init__(
        self, contest: Contest, players: Sequence[Player], game: int, memories: Memory
    ) -> None:
        self._contest, self._players, self._memories = contest, players, memories
        key = np.uint64(combine(key_of(contest.seed), game))
        self.seating = np.zeros(len(contest.agents), np.int64)
        take_seats(key, contest.seating == "shuffled", self.seating)
        luck = np.uint64(combine(key, LUCK))
        self.streams = [
            np.array([combine(luck, seat)], np.uint64) for seat in range(len(contest.agents))
        ]
        self.seated = np.zeros_like(memories)
        seat_memories(memories, self.seated, self.seating, False)
        self._places: list[int] = self.seating.tolist()
        names = [players[place].spec for place in self._places]
        self.table = Table(
            contest.game, contest.played_setting, names, KeyedDice(key), **contest.start_options
        )
        self._shown = 0
        self.results = Results.empty(contest, game, game + 1)
        self._last_view: Any = None
        self._by_seat = np.zeros(self.results.counters.shape[1:], np.int64)
        for seat, place in enumerate(self._places):
            players[place].sit(contest.game, contest.setting, seat, names)

    @property
    def over(self) -> bool:
        """True once the game, or its single round, has been played."""
        played = int(self.results.rounds[0])
        return self.table.over or (self._contest.mode == "rounds" and played > 0)

    @property
    def place(self) -> int:
        """The index of the player to act."""
        seat = self.table.actor
        assert seat is not None
        return self._places[seat]

    def question(self) -> tuple[Any, Memory, Any]:
        """Return the arguments of the actor's ``decide``."""
        seat = self.table.actor
        assert seat is not None
        return self.table.observe(seat), self.seated[self.place], self.streams[seat]

    def answer(self, decision: Decision, seconds: float) -> None:
        """Play the actor's decision, and show settled rounds to all players."""
        place, results = self.place, self.results
        results.seconds[place, 0] += seconds
        results.seconds[place, 1] = max(results.seconds[place, 1], seconds)
        results.effort[place, 0] += 1
        if decision.thoughts is not None:
            results.effort[place, 1] += decision.thoughts.rollouts
        self.table.act(self.table.actor, decision.action)
        self._note_rounds()

    def _note_rounds(self) -> None:
        for event, view in self.table.story(SPECTATOR, self._shown):
            if event["event"] == "result":
                self.results.rounds[0] += 1
                self._last_view = view
                self._contest.game.operations.tally(view.record, self._by_seat)
                self._show_round(event["n"])
            self._shown = event["n"]
        if self.over:
            self._settle()

    def _show_round(self, number: int) -> None:
        for seat, place in enumerate(self._places):
            _, view = next(iter(self.table.story(seat, number - 1)))
            player = self._players[place]
            try:
                player.learn(view, self.seated[place])
            except AgentError:
                raise
            except Exception as error:
                raise agent_error(player.spec, f"raised {raised(error)}", view) from error

    def _settle(self) -> None:
        contest, results = self._contest, self.results
        rounds = contest.mode == "rounds"
        record = self._last_view.record if rounds else self.table.state.record
        horizon = ROUND if rounds else MATCH
        for seat, place in enumerate(self._places):
            results.seats[0, place] = seat
            zero_sum = contest.game.properties.zero_sum
            results.wins[0, place] = win_share(record, horizon, zero_sum, seat)
            results.scores[0, place] = contest.game.operations.payoff(record, horizon, seat)
            results.counters[place, seat] += self._by_seat[seat]
            self._players[place].leave(self.table.observe(seat))
        seat_memories(self._memories, self.seated, self.seating, True)


def decide(players: Sequence[Player], games: Sequence[TableGame], timeout: float | None) -> None:
    """Play one decision in each of several games; players with ``act_batch`` decide together."""
    batches: dict[int, list[TableGame]] = {}
    for game in games:
        player = players[game.place]
        if hasattr(player, "act_batch"):
            batches.setdefault(game.place, []).append(game)
            continue
        started = time.perf_counter()
        decision = decide_within(player, *game.question(), timeout)
        game.answer(decision, time.perf_counter() - started)
    for place, batch in batches.items():
        started = time.perf_counter()
        decisions = decide_batch(players[place], [one.question() for one in batch])
        each = (time.perf_counter() - started) / len(batch)
        for game, decision in zip(batch, decisions, strict=True):
            game.answer(decision, each)


def decide_batch(player: Any, questions: list[tuple[Any, Memory, Any]]) -> list[Decision]:
    """Return a player's decisions in many positions at once."""
    observations, memories, streams = (list(part) for part in zip(*questions, strict=True))
    try:
        answers = list(player.act_batch(observations, memories, streams))
    except AgentError:
        raise
    except Exception as error:
        raise agent_error(player.spec, f"raised {raised(error)}", observations[0]) from error
    if len(answers) != len(questions):
        problem = f"act_batch gave {len(answers)} actions for {len(questions)} positions"
        raise agent_error(player.spec, problem)
    return [
        checked(player.spec, observation, answer)
        for observation, answer in zip(observations, answers, strict=True)
    ]


def run(
    contest: Contest,
    progress: Callable[[Results], None] = lambda results: None,
    timeout: float | None = None,
) -> Results:
    """Play a contest at tables; Ctrl-C, or an agent that fails, ends it early.

    ``timeout`` limits the seconds that a decision may take.
    """
    with contest.players() as players:
        return _run(contest, players, progress, timeout)


def _run(
    contest: Contest,
    players: Sequence[Player],
    progress: Callable[[Results], None],
    timeout: float | None,
) -> Results:
    results = Results.empty(contest, 0, contest.games)
    width = max(1, *(player.memory_width for player in players))
    memories = np.zeros((len(players), len(SEATS), width))
    # Programs, and classes with a state of their own, could mix up games played side by side.
    batching = all(
        hasattr(player, "act_batch") or isinstance(player, CompiledPlayer) for player in players
    )
    at_once = SIDE_BY_SIDE if batching and not contest.remembering else 1
    playing: list[TableGame] = []
    following = 0
    try:
        while playing or following < contest.games:
            while len(playing) < at_once and following < contest.games:
                if contest.remembering and following % contest.series == 0:
                    memories[:] = 0.0
                playing.append(TableGame(contest, players, following, memories))
                following += 1
            decide(players, playing, timeout)
            for game in [game for game in playing if game.over]:
                results.add(game.results)
                playing.remove(game)
            progress(results)
    except (KeyboardInterrupt, EOFError):  # EOFError: a person left
        results.interrupted = True
    except AgentError as error:
        results.failure = error
    return results
