"""A check of an agent's contract: legal moves, in time, based only on what it may know."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Never, cast

import numpy as np

from perudo.agents.agent import Agent, CompiledAgent, Decision, Thoughts
from perudo.agents.external.time_limit import decide_within
from perudo.games.chance import Stream, below, next_word, stream_of
from perudo.games.errors import AgentError, PerudoError
from perudo.games.game import Game, State, action_code
from perudo.games.log import Event
from perudo.games.perudo import PERUDO
from perudo.games.policy import Memory
from perudo.table import SeededDice, Table
from perudo.testing.contract import ContractError

FEWEST_PLAYERS, MOST_PLAYERS = 2, 6
REPEATS = 8
"""The number of repetitions of a decision that came out differently, to find the reason."""
STRAYS = 4
"""One in this many of the agent's moves is replaced by a random one, to reach unusual positions."""
LOW_BIDS = 3
"""The other players sometimes take the lowest of this many random actions, because uniformly random
bids soon get too high."""
ROUNDING = 1e-6


@dataclass
class AgentReport:
    """The results of ``check_agent``."""

    agent: str
    decisions: int = 0
    matches: int = 0
    presets_played: list[str] = field(default_factory=list)
    presets_refused: dict[str, str] = field(default_factory=dict)
    """The agent's own reasons for what it cannot play, by preset or by preset and players."""
    mean_milliseconds: float = 0.0
    max_milliseconds: float = 0.0
    sampled_only: bool = False
    """True if it decided at least once without stating its chances."""
    repeatable: bool = True
    """False if its moves depend on the clock; then hidden information cannot be checked either."""

    def __str__(self) -> str:
        chances = "only sampled" if self.sampled_only else "chances stated"
        lines = [
            f"{self.agent}: {self.decisions} decisions in {self.matches} matches, {chances}",
            f"time: {self.mean_milliseconds:.3g} ms on average, at most "
            f"{self.max_milliseconds:.3g} ms",
            f"played: {', '.join(self.presets_played) or 'nothing'}",
        ]
        lines += [f"cannot play {what}: {why}" for what, why in self.presets_refused.items()]
        if not self.repeatable:
            lines.append("depends on the clock: not checked for repeating or for hidden dice")
        return "\n".join(lines)


def check_agent(
    agent: Agent,
    *,
    game: Game = PERUDO,
    positions: int = 2000,
    seed: int = 1,
    seconds_per_decision: float = 30.0,
    presets: Sequence[str] | None = None,
) -> AgentReport:
    """Let an agent play every preset with 2 to 6 players; raise ContractError at a violation.

    At each decision the check requires that the move is legal and in time; that the agent changes
    neither memory nor observation; that stated chances sum to 1, are on legal actions, and include
    the move; and that a second call with other hidden dice gives the same answer. ``learn`` must
    learn the same from the same round.

    An agent that reads the table through a global, a frame or the garbage collector is detected,
    but this is no sandbox: code that means to deceive the check, say by caching its first answer,
    can. A decision that hangs is interrupted if this is the main thread and it hangs in Python;
    otherwise it is reported as late when it ends. Agents in other processes are always interrupted.
    """
    check = _AgentCheck(agent, game, seed, seconds_per_decision)
    tables = check.find_tables(game.presets if presets is None else presets)
    for number, (preset, setting, players) in enumerate(tables):
        share = math.ceil((positions - check.report.decisions) / (len(tables) - number))
        if share <= 0:
            break
        check.play(number, setting, players, share)
        if preset not in check.report.presets_played:
            check.report.presets_played.append(preset)
    return check.report


@dataclass(frozen=True)
class _Answer:
    """The parts of a decision that must be the same when it is repeated."""

    code: int
    chances: dict[str, float] | None
    view: bytes


class _AgentCheck:
    """A check of one agent, with the state of its random streams and clocks."""

    def __init__(self, agent: Agent, game: Game, seed: int, seconds: float) -> None:
        self._agent = agent
        self._game = game
        self._seed = seed
        self._seconds = seconds
        self._thought = 0.0
        self._asked = 0
        self._compiled = not isinstance(agent, CompiledAgent)
        self._others = stream_of(seed, 1)
        self.report = AgentReport(agent.spec, repeatable=not agent.uses_clock)

    # --- where it plays -------------------------------------------------------------------------
    def find_tables(self, presets: Sequence[str]) -> list[tuple[str, Any, int]]:
        """Return every preset with every number of players, except what the agent cannot play.

        Each preset comes once, with some number of players, before any preset comes again.
        """
        found: list[tuple[int, str, Any, int]] = []
        for place, preset in enumerate(presets):
            setting = self._game.setting(preset)
            possible, refused = [], {}
            for players in range(FEWEST_PLAYERS, MOST_PLAYERS + 1):
                try:
                    self._game.start(setting, players)
                except PerudoError:
                    continue
                why = self._refusal(setting, players)
                if why is None:
                    possible.append(players)
                else:
                    refused[f"{preset} with {players} players"] = why
            if refused and not possible:
                refused = {preset: next(iter(refused.values()))}
            self.report.presets_refused.update(refused)
            found += [
                ((turn + place) % len(possible), preset, setting, players)
                for turn, players in enumerate(possible)
            ]
        found.sort(key=lambda table: table[0])
        return [(preset, setting, players) for _, preset, setting, players in found]

    def _refusal(self, setting: Any, players: int) -> str | None:
        try:
            return self._agent.cannot_play(self._game, setting, players)
        except Exception as error:
            self._fail(f"cannot_play raised {error!r}", None, error)

    def play(self, number: int, setting: Any, players: int, share: int) -> None:
        """Play matches at one table until the agent has made its share of decisions."""
        names = [f"random {seat}" for seat in range(players)]
        own = number % players
        names[own] = self._agent.spec
        memory = self._agent.new_memory()
        until = self.report.decisions + share
        match = 0
        while self.report.decisions < until:
            dice = SeededDice(int(stream_of(self._seed, 2, number, match)[0]))
            self._play_match(Table(self._game, setting, names, dice), own, memory, until)
            self.report.matches += 1
            match += 1

    def _play_match(self, table: Table, own: int, memory: Memory, until: int) -> None:
        seen = 0
        while table.actor is not None and self.report.decisions < until:
            code = self._random_action(table)
            if table.actor == own:
                answer = self._question(table, own, memory)
                if below(self._others, STRAYS) != 0:
                    code = answer
            table.act(table.actor, code)
            events = table.record.events
            if any(event["event"] == "result" for event in events[seen:]):
                for event, view in table.story(own, seen):
                    if event["event"] == "result":
                        self._learn(view, memory)
            seen = len(events)

    def _random_action(self, table: Table) -> int:
        operations, state = self._game.operations, table._state
        count = int(operations.action_count(state))
        draws = 1 if below(self._others, 2) == 0 else LOW_BIDS
        index = min(int(below(self._others, count)) for _ in range(draws))
        return int(operations.action(state, index))

    # --- a decision -----------------------------------------------------------------------------
    def _question(self, table: Table, seat: int, memory: Memory) -> int:
        """Ask twice, the second time with other hidden dice; return the action."""
        luck = stream_of(self._seed, 3, self.report.decisions)
        answer = self._ask(table, seat, memory, luck)
        self.report.decisions += 1
        self.report.mean_milliseconds = 1000 * self._thought / self._asked
        if answer.chances is None:
            self.report.sampled_only = True
        if self.report.repeatable:
            redeal_behind(table, seat, self._others)
            again = self._ask(table, seat, memory, luck)
            if again.view != answer.view:
                raise ContractError(f"{self._game.name}: a redeal changes what a seat sees")
            if again != answer:
                self._explain(answer, again, table, seat, memory, luck)
        return answer.code

    def _ask(self, table: Table, seat: int, memory: Memory, luck: Stream) -> _Answer:
        view, kept, stream = table.observe(seat), memory.copy(), luck.copy()
        before = view._record.tobytes()
        if not self._compiled:  # compilation does not count as thinking time
            self._agent.decide(table.observe(seat), memory.copy(), luck.copy())
            self._compiled = True
        started = time.perf_counter()
        try:
            decision = decide_within(self._agent, view, kept, stream, self._seconds)
        except AgentError as error:
            raise ContractError(str(error)) from (error.__cause__ or error)
        except (SystemExit, EOFError) as error:
            self._fail(f"raised {error!r}", table.observe(seat), error)
        seconds = time.perf_counter() - started
        self._thought += seconds
        self._asked += 1
        self.report.max_milliseconds = max(self.report.max_milliseconds, 1000 * seconds)
        if view._record.tobytes() != before:
            self._fail("decide changed the observation", table.observe(seat))
        if kept.shape != memory.shape or kept.tobytes() != memory.tobytes():
            self._fail("decide changed the memory; only learn may", view)
        return self._answer(decision, view, before)

    def _answer(self, decision: Decision, view: State, seen: bytes) -> _Answer:
        code = action_code(self._game, decision.action)
        thoughts: Any = decision.thoughts
        if thoughts is None or (isinstance(thoughts, Thoughts) and thoughts.probabilities is None):
            return _Answer(code, None, seen)
        if not isinstance(thoughts, Thoughts) or not isinstance(thoughts.probabilities, dict):
            self._fail(f"its thoughts are {thoughts!r}, not Thoughts", view)
        legal = view.legal_actions
        total, own = 0.0, 0.0
        for text, chance in thoughts.probabilities.items():
            action = self._action_in_thoughts(text, view)
            if not isinstance(chance, (int, float, np.floating)) or not 0 <= chance <= 1 + ROUNDING:
                self._fail(f"it states a chance of {chance!r} for {text}", view)
            if chance > 0 and action not in legal:
                self._fail(f"it states a chance of {chance:g} for {text}, which is illegal", view)
            total += chance
            own += chance if action == code else 0.0
        if abs(total - 1) > ROUNDING:
            self._fail(f"its stated chances sum to {total:g}, not 1", view)
        if own <= 0:
            self._fail(f"it chose {decision.action}, which it states has no chance", view)
        return _Answer(code, dict(thoughts.probabilities), seen)

    def _action_in_thoughts(self, text: Any, view: State) -> int:
        try:
            return action_code(self._game, text)
        except PerudoError as error:
            self._fail(f"it states a chance for {text!r}, which is no action", view, error)

    def _explain(
        self,
        answer: _Answer,
        again: _Answer,
        table: Table,
        seat: int,
        memory: Memory,
        luck: Stream,
    ) -> None:
        """Raise for two different answers; repeat the decision to find out if dice caused them."""
        both = " and then ".join(
            self._game.format_action(one.code)
            + ("" if one.chances is None else f" ({_chances(one.chances)})")
            for one in (answer, again)
        )
        view = table.observe(seat)
        for _ in range(REPEATS):
            if self._ask(table, seat, memory, luck) != again:
                self._fail(
                    f"the same observation, memory and stream gave {both}: it is not repeatable",
                    view,
                )
        self._fail(
            f"with other dice in cups that it cannot see it gave {both}: it uses hidden "
            "information",
            view,
        )

    # --- learning -------------------------------------------------------------------------------
    def _learn(self, view: State, memory: Memory) -> None:
        """Show a settled round twice; require that the agent learns the same both times."""
        results = []
        before = view._record.tobytes()
        for _ in range(2):
            learned = memory.copy()
            started = time.perf_counter()
            try:
                self._agent.learn(view, learned)
            except (Exception, SystemExit) as error:
                self._fail(f"learn raised {error!r}", view, error)
            if time.perf_counter() - started > self._seconds:
                self._fail(f"learn took longer than {self._seconds:g} s", view)
            results.append(learned)
        if view._record.tobytes() != before:
            self._fail("learn changed the observation", view)
        if results[0].tobytes() != results[1].tobytes():
            self._fail("learn wrote different memories after the same round", view)
        memory[:] = results[0]

    def _fail(self, problem: str, view: State | None, cause: BaseException | None = None) -> Never:
        where = "" if view is None else f", in position {position_text(view)!r}"
        raise ContractError(f"agent {self._agent.spec}: {problem}{where}") from cause


def _chances(chances: dict[str, float]) -> str:
    return ", ".join(f"{action} {chance:.3g}" for action, chance in chances.items())


def position_text(view: State) -> str:
    """Return a position on one line."""
    return getattr(view, "notation", None) or " | ".join(str(view).splitlines())


def redeal_behind(table: Table, seat: int, stream: Stream) -> None:
    """Replace all that a seat cannot see by a new deal, in the table's state and in its record.

    No trace of the old dice remains in the process, so an agent that gets at the table finds only
    the new ones. The match continues with them. In games with hidden moves only the state changes,
    not the log of moves.
    """
    game, events, snapshots = table.game, table._record.events, table._snapshots
    word = next_word(stream)
    deals = [place for place, event in enumerate(events) if event["event"] == "deal"]
    first = deals[-1] if deals else len(events)
    for record in (table._state, *snapshots[first:]):
        game.operations.redeal(record, seat, np.array([word], np.uint64))
    if deals:
        dealt = game.format_deal(snapshots[first])
        events[first] = cast(Event, {**events[first], **dealt})
