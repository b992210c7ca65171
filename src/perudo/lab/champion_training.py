"""``perudo train champion``: the champion's habits made anew, in pieces that any engine can do.

For each family of rules the blueprint is learnt in a fixed number of runs, whose strategies are
added up, and other agents are watched; then the champion itself is, with what is known by then.
Pieces that are done are kept in a directory, so that training goes on where it was interrupted;
how they are shared among workers changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents import agent_named
from perudo.agents.agent import CompiledAgent
from perudo.agents.champion import Champion
from perudo.agents.champion.habits import FAMILIES, MODELS, Counts, Habits, assemble
from perudo.agents.champion.situation import SITUATIONS, SLOTS
from perudo.agents.champion.standings import SIZE, first_guess
from perudo.games.chance import stream_of
from perudo.games.game import Record
from perudo.games.kernel import INTERPRETED
from perudo.games.perudo import PERUDO
from perudo.games.perudo.layout import FINISHED
from perudo.games.policy import address_of, new_thoughts
from perudo.games.state import SEATS
from perudo.lab.champion_learning import MAX_FRAMES, train, watch
from perudo.lab.contest import Contest
from perudo.lab.engines import Engine
from perudo.lab.match import play

STARTS = 3000
"""Dice counts that matches begin from."""
FULL_TABLES = 0.4
"""How many of them have all dice."""
BATCH = 50_000
"""Rounds after which what was learnt before fades a little (linear CFR)."""
COMPANY = ("observer", "boros-bluff")
"""With whom the watched agents play, besides copies of themselves."""
SELF = MODELS[-1]
BLUEPRINT = MODELS[0]


@dataclass(frozen=True)
class Effort:
    """How much is learnt and watched."""

    runs: int = 2
    """Of the blueprint, for each family."""
    rounds: int = 4_000_000
    """In each of them."""
    watched: int = 300_000
    """Decisions of each agent that answers at once ..."""
    searching: int = 120_000
    """... and of those that search."""
    parts: int = 2
    """Pieces in which an agent is watched."""
    rollouts: int = 1_000
    """Of the champion, while it is watched."""
    trial_games: int = 200
    """In which its strength is looked at."""


QUICK = Effort(1, 100_000, 20_000, 2_000, 1, 200, 20)
"""To see that it works."""


@dataclass(frozen=True)
class Piece:
    """One part of the work."""

    family: str
    what: str
    """``blueprint``, or who is watched."""
    part: int
    amount: int
    """Rounds to learn from, or decisions to watch."""
    seed: int
    rollouts: int = 0
    habits: bytes = b""
    """What the champion knows when it is watched."""

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.family}-{self.what}-{self.part}-{self.amount}-{self.seed}.npz"


Found = dict[str, npt.NDArray[Any]]
"""What a piece brought: situations, their numbers by slot, and for the blueprint match values."""


def starts_of(family: str, seed: int) -> Record:
    """Tables of two to six, with all dice or any."""
    chance = np.random.default_rng(seed)
    rules = PERUDO.setting(family)
    starts = np.zeros(STARTS, PERUDO.dtype)
    for place in range(STARTS):
        players = int(chance.integers(2, 7))
        dice = [rules.dice] * players
        if chance.random() >= FULL_TABLES:
            dice = [int(count) for count in chance.integers(1, rules.dice + 1, players)]
        opener = int(chance.integers(players))
        starts[place] = PERUDO.start(rules, players, dice=dice, opener=opener).record
    return starts


def do_piece(piece: Piece) -> tuple[str, Found]:
    """Learn or watch; what comes of it depends on the piece alone."""
    starts = starts_of(piece.family, piece.seed)
    if piece.what == BLUEPRINT:
        return piece.name, _learn(starts, piece)
    return piece.name, _watch(starts, piece)


def _learn(starts: Record, piece: Piece) -> Found:
    states = np.zeros(2 + MAX_FRAMES, PERUDO.dtype)
    states[0] = starts[0]
    states[0]["phase"] = FINISHED  # so that a match is begun
    regrets, sums = np.zeros((2, SITUATIONS, SLOTS), np.float32)
    worth, visits = first_guess(), np.zeros(SIZE, np.int64)
    stream = stream_of(piece.seed, piece.part)
    done = 0
    while done < piece.amount:
        some = min(BATCH, piece.amount - done)
        train(starts, states, regrets, sums, worth, visits, some, 1.0, stream)
        done += some
        kept = np.float32(done / (done + BATCH))
        regrets *= kept
        sums *= kept
    return {**_sparse(sums), "worth": worth}


def _watch(starts: Record, piece: Piece) -> Found:
    agent = agent_named(piece.what)
    if piece.what == SELF:
        habits = Habits.from_bytes(piece.habits, "what was learnt before")
        agent = Champion(rollouts=piece.rollouts).with_habits(habits)
    counts = np.zeros((SITUATIONS, SLOTS), np.float32)
    company = [agent, *(agent_named(name) for name in COMPANY)]
    for place, other in enumerate(company):
        assert isinstance(agent, CompiledAgent)
        assert isinstance(other, CompiledAgent)
        for one in (agent, other):
            one.prepare(PERUDO.start(PERUDO.setting(piece.family), 2))
        watch(
            starts,
            np.zeros(2, PERUDO.dtype),
            *_policy(agent),
            *_policy(other),
            counts,
            piece.amount // len(company),
            stream_of(piece.seed, piece.part, place),
            new_thoughts(),
        )
    return _sparse(counts)


def _policy(agent: CompiledAgent) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    address = address_of(type(agent).policy, PERUDO.dtype)
    memories = np.stack([agent.new_memory() for _ in SEATS])
    parameters = agent.parameters
    return (
        address if INTERPRETED else np.uint64(address),
        parameters if parameters.size else np.zeros(1),
        memories,
    )


def _sparse(table: Counts) -> Found:
    situations = np.flatnonzero(table.any(axis=1)).astype(np.int32)
    return {"situations": situations, "numbers": table[situations]}


# --- the whole ----------------------------------------------------------------------------------
def pieces_before(effort: Effort, families: Sequence[str], seed: int) -> list[Piece]:
    """All but watching the champion itself."""
    pieces = []
    for family in families:
        for run in range(effort.runs):
            pieces.append(Piece(family, BLUEPRINT, run, effort.rounds, seed))
        for name in MODELS[1:-1]:
            amount = effort.searching if name.startswith("pomcp") else effort.watched
            for part in range(effort.parts):
                pieces.append(Piece(family, name, part, amount // effort.parts, seed))
    return pieces


def pieces_of_itself(effort: Effort, habits: Habits, seed: int) -> list[Piece]:
    """Watching the champion as it is by now."""
    amount = effort.searching // effort.parts
    return [
        Piece(family, SELF, part, amount, seed, effort.rollouts, habits.to_bytes())
        for family in habits.families
        for part in range(effort.parts)
    ]


class Training:
    """Does what is missing, and puts it together."""

    def __init__(
        self,
        engine: Engine,
        place: Path,
        effort: Effort,
        seed: int = 1,
        families: Sequence[str] = FAMILIES,
        report: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.engine, self.place, self.effort, self.seed = engine, place, effort, seed
        self.families, self._report = families, report
        self._started = time.perf_counter()
        place.mkdir(parents=True, exist_ok=True)

    def run(self, about: dict[str, Any]) -> Habits:
        """Train; pieces that are there already are not done again."""
        first = pieces_before(self.effort, self.families, self.seed)
        self._do(first)
        early = self._together(first, about)
        self._try_out(early, "before it was watched itself")
        last = pieces_of_itself(self.effort, early, self.seed)
        self._do(last)
        habits = self._together([*first, *last], about)
        self._try_out(habits, "as it is now")
        return habits

    def _do(self, pieces: Sequence[Piece]) -> None:
        missing = [piece for piece in pieces if not (self.place / piece.name).exists()]
        done = len(pieces) - len(missing)
        if done:
            self._say(f"{done} of {len(pieces)} pieces are there already")
        for name, found in self.engine.run(do_piece, iter(missing)):
            unfinished = self.place / "unfinished.npz"
            np.savez(unfinished, allow_pickle=False, **found)
            unfinished.replace(self.place / name)
            done += 1
            self._say(f"{done} of {len(pieces)}: {name}")

    def _together(self, pieces: Sequence[Piece], about: dict[str, Any]) -> Habits:
        families = {}
        for family in self.families:
            tables: dict[str, Counts] = {}
            worths = []
            for piece, found in self._found(pieces, family):
                table = tables.setdefault(piece.what, np.zeros((SITUATIONS, SLOTS), np.float32))
                table[found["situations"]] += found["numbers"]
                if "worth" in found:
                    worths.append(found["worth"])
            sums = tables.pop(BLUEPRINT)
            families[family] = assemble(sums, tables, np.mean(worths, axis=0))
        return Habits(families, about)

    def _found(
        self, pieces: Sequence[Piece], family: str
    ) -> Iterator[tuple[Piece, Mapping[str, npt.NDArray[Any]]]]:
        for piece in pieces:
            if piece.family == family:
                with np.load(self.place / piece.name, allow_pickle=False) as found:
                    yield piece, found

    def _try_out(self, habits: Habits, when: str) -> None:
        """Say how strong it is among three Observers."""
        for family in self.families:
            champion = Champion(rollouts=self.effort.rollouts).with_habits(habits)
            agents = [champion, *[agent_named("observer")] * 3]
            setting = PERUDO.setting(family)
            games = self.effort.trial_games
            results = play(Contest(PERUDO, setting, agents, games, seed=self.seed, series=1))
            share = float(np.asarray(results.wins)[:, 0].mean())
            self._say(f"{family}, {when}: {share:.1%} of {games} games among three Observers")

    def _say(self, line: str) -> None:
        self._report(f"{time.perf_counter() - self._started:6.0f} s  {line}")
