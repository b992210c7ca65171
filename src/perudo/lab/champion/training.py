"""``perudo train champion``: learn the champion's habits, in pieces that any engine can do.

For each family of rules, players play each other and the network is fitted to their decisions. In
the next generation the champion trained so far joins them, so that its own habits are learnt too. A
directory keeps finished pieces, so that training can resume where it stopped; the results do not
depend on how workers share the pieces.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent, CompiledPlayer
from perudo.agents.champion.champion import Champion
from perudo.agents.champion.knowledge import FAMILIES, Family, Habits
from perudo.agents.champion.player_models import (
    HIDDEN_UNITS,
    MODEL_COUNT,
    MODELS,
    OWN,
    UNIT_WEIGHTS,
    WEIGHT_COUNT,
)
from perudo.agents.registry import agent_named
from perudo.games.chance import stream_of
from perudo.games.game import SEATS, Record
from perudo.games.perudo import PERUDO
from perudo.games.perudo.layout import HISTORY_OFFSET
from perudo.games.policy import new_thoughts
from perudo.lab.arena import line_up_of
from perudo.lab.champion.learning import Adam, Cast, Watched, Workspace, fit, judge, watch
from perudo.lab.champion.match_worth import WIDTH, learn_match_worth
from perudo.lab.contest import Contest
from perudo.lab.engine import Engine
from perudo.lab.play import play
from perudo.levels import ratings
from perudo.ratings import rating_among
from perudo.search.files.sealed import Header

STARTS = 3000
"""The number of starting dice counts."""
FULL_TABLES = 0.4
"""The share of starts in which all players have all dice."""
SLOW_AGENTS = {
    "pomcp-pgt-ucb": 0.2,
    "pomcp-pgt-ucb:iterations=10000": 0.12,
    "pomcp-pgt-rm": 0.15,
    "ensemble": 0.1,
    "champion": 0.23,
}
"""Slow agents, with their shares of the seats at slow tables; the other agents share the rest."""
BATCH, FIRST_RATE, LAST_RATE = 256, 3e-3, 1e-4
"""The batch size of the fit, and its first and last learning rates."""
HELD_OUT = 0.05
"""The share of decisions held out for validation."""
TRIAL_SEATS = 4
"""The seats of the tables that measure the champion's strength."""


@dataclass(frozen=True)
class Effort:
    """The number of decisions to collect, and the effort of the fit."""

    generations: int = 3
    quick: int = 300_000
    """Decisions at tables of fast agents, in the first generation only."""
    slow: int = 90_000
    """Decisions at tables with slow agents, in each generation."""
    parts: int = 6
    """The pieces into which the slow decisions are divided."""
    rollouts: int = 2_000
    """The champion's rollouts while it plays."""
    epochs: int = 40
    trial_games: int = 200
    """The games that measure the champion's strength."""


QUICK = Effort(2, 20_000, 2_000, 1, 200, 3, 20)
"""The effort of a trial run."""


@dataclass(frozen=True)
class Piece:
    """A number of decisions to collect."""

    family: str
    tables: str
    """``quick`` or ``slow``: the agents at the tables."""
    generation: int
    part: int
    decisions: int
    seed: int
    rollouts: int = 0
    habits: bytes = b""
    """The champion's knowledge; empty in the first generation, in which it does not play."""

    @property
    def name(self) -> str:
        """The name of the piece's file."""
        numbers = f"{self.generation}-{self.part}-{self.decisions}-{self.seed}"
        return f"{self.family}-{self.tables}-{numbers}.npz"


Found = dict[str, npt.NDArray[Any]]
"""The result of a piece: views (only the bytes in use), kinds, saids and rounds."""


def starts_of(family: str, seed: int, part: int = 0) -> Record:
    """Return random starts with two to six players, with all dice or with random counts."""
    chance = np.random.default_rng([seed, part])
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


def _shares(piece: Piece) -> npt.NDArray[np.float64]:
    """Return the share of seats of each model at the piece's tables."""
    slow = SLOW_AGENTS if piece.tables == "slow" else {}
    shares = np.array([slow.get(name, 0.0) for name in MODELS])
    at_once = np.array([name not in SLOW_AGENTS for name in MODELS])
    shares[at_once] = (1.0 - shares.sum()) / at_once.sum()
    return shares


def _players(piece: Piece) -> list[CompiledPlayer]:
    """Return the players of a piece, which include the champion once it has knowledge."""
    agents = [agent_named(name) for name in MODELS[:OWN]]
    if piece.habits:
        habits = Habits.from_bytes(piece.habits, "what was learnt before")
        agents.append(champion_with(habits, piece.rollouts))
    start = PERUDO.start(PERUDO.setting(piece.family), 2)
    players = []
    for agent in agents:
        assert isinstance(agent, CompiledAgent)
        players.append(agent.prepare(start))
    return players


def champion_with(habits: Habits, rollouts: int) -> Champion:
    """Return a champion with this knowledge instead of the package's."""

    class Learnt(Champion):
        def known(self) -> Habits:
            return habits

    return Learnt(rollouts=rollouts)


def do_piece(piece: Piece) -> tuple[str, Found]:
    """Collect the decisions of a piece; the result depends on the piece alone."""
    players = _players(piece)
    shares = np.cumsum(_shares(piece)[: len(players)])
    width = max(1, *(player.memory_width for player in players))
    key = (piece.seed, piece.generation, piece.part)
    views = np.zeros(piece.decisions, PERUDO.dtype)
    models, saids = np.zeros((2, piece.decisions), np.int64)
    rounds = np.zeros((piece.decisions, WIDTH), np.int64)
    cast = Cast(line_up_of(players, PERUDO.dtype), shares / shares[-1])
    work = Workspace(
        states=np.zeros(3, PERUDO.dtype),
        memories=np.zeros((len(SEATS), len(SEATS), width)),
        streams=np.stack([stream_of(*key, seat) for seat in range(len(SEATS))]),
        thoughts=new_thoughts(),
    )
    found = Watched(views, models, saids, rounds)
    starts = starts_of(piece.family, piece.seed, piece.part)
    ended = watch(starts, cast, work, stream_of(*key, len(SEATS)), found)
    used = HISTORY_OFFSET + 2 * int(views["actions"].max())
    return piece.name, {
        "views": views.view(np.uint8).reshape(len(views), -1)[:, :used],
        "kinds": models.astype(np.int8),
        "saids": saids.astype(np.int16),
        "rounds": rounds[:ended].astype(np.int8),
    }


def unpacked(views: npt.NDArray[np.uint8]) -> Record:
    """Return records, given the bytes in use."""
    records = np.zeros(len(views), PERUDO.dtype)
    records.view(np.uint8).reshape(len(views), -1)[:, : views.shape[1]] = views
    return records


# --- fitting ------------------------------------------------------------------------------------
def fit_family(
    found: Sequence[tuple[Piece, Mapping[str, npt.NDArray[Any]]]], epochs: int, seed: int
) -> tuple[Family, npt.NDArray[np.float64]]:
    """Fit the knowledge of one family; return it with the log-likelihoods of the models.

    Only the champion's decisions of the last generation count: it played differently before.
    """
    last = max(piece.generation for piece, _ in found)
    views, kinds, saids = [], [], []
    for piece, part in found:
        wanted = (part["kinds"] != OWN) | (piece.generation == last)
        views.append(unpacked(part["views"][wanted]))
        kinds.append(part["kinds"][wanted].astype(np.int64))
        saids.append(part["saids"][wanted].astype(np.int64))
    rounds = np.concatenate([part["rounds"] for _, part in found]).astype(np.int64)
    seen = Watched(np.concatenate(views), np.concatenate(kinds), np.concatenate(saids), rounds)
    weights, log_chances = _fit(seen, epochs, seed)
    if last == 0:  # the champion has not played yet: take the strongest agent for it
        units = weights[UNIT_WEIGHTS:].reshape(MODEL_COUNT, HIDDEN_UNITS)
        units[OWN] = units[0]
    return Family(weights, learn_match_worth(rounds)), log_chances


def _fit(
    seen: Watched, epochs: int, seed: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]:
    chance = np.random.default_rng(seed)
    weights = chance.normal(0.0, 0.25, WEIGHT_COUNT).astype(np.float32)
    weights[UNIT_WEIGHTS:] *= 0.4
    adam = Adam(weights, *np.zeros((2, WEIGHT_COUNT), np.float32))
    held_out = chance.random(len(seen.views)) < HELD_OUT
    shown, steps = np.flatnonzero(~held_out), 0
    for epoch in range(epochs):
        rate = FIRST_RATE + (LAST_RATE - FIRST_RATE) * epoch / epochs
        order = chance.permutation(shown)
        fit(seen, order, adam, steps, BATCH, rate)
        steps += len(order) // BATCH
    log_chances = np.zeros(int(held_out.sum()))
    judged = Watched(seen.views[held_out], seen.kinds[held_out], seen.saids[held_out], seen.rounds)
    judge(judged, weights, log_chances)
    by_model = [log_chances[judged.kinds == model] for model in range(MODEL_COUNT)]
    return weights, np.array([some.mean() if some.size else np.nan for some in by_model])


# --- the whole ----------------------------------------------------------------------------------
def pieces_of(
    effort: Effort, generation: int, habits: Habits | None, families: Sequence[str], seed: int
) -> list[Piece]:
    """Return the pieces of a generation."""
    known = b"" if habits is None else habits.to_bytes()
    pieces = []
    for family in families:
        for part in range(effort.parts):
            each = effort.slow // effort.parts
            pieces.append(
                Piece(family, "slow", generation, part, each, seed, effort.rollouts, known)
            )
        if generation == 0:
            pieces.append(Piece(family, "quick", generation, 0, effort.quick, seed))
    return pieces


class Training:
    """A training run: it does the missing pieces and fits the habits to all of them."""

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

    def run(self, about: Header) -> Habits:
        """Train the champion; skip the pieces that are already there."""
        pieces: list[Piece] = []
        habits = None
        for generation in range(self.effort.generations):
            new = pieces_of(self.effort, generation, habits, self.families, self.seed)
            self._do(new)
            pieces += new
            habits = self._fit_families(pieces, about)
            self._measure_strength(habits, generation)
        assert habits is not None
        return habits

    def _do(self, pieces: Sequence[Piece]) -> None:
        missing = [piece for piece in pieces if not (self.place / piece.name).exists()]
        done = len(pieces) - len(missing)
        if done:
            self._say(f"{done} of {len(pieces)} pieces are done already")
        for name, found in self.engine.run(do_piece, iter(missing)):
            unfinished = self.place / "unfinished.npz"
            np.savez_compressed(unfinished, allow_pickle=False, **found)
            unfinished.replace(self.place / name)
            done += 1
            self._say(f"{done} of {len(pieces)}: {name}")

    def _fit_families(self, pieces: Sequence[Piece], about: Header) -> Habits:
        families = {}
        for family in self.families:
            found = [(piece, self._load(piece)) for piece in pieces if piece.family == family]
            families[family], log_chances = fit_family(found, self.effort.epochs, self.seed)
            scores = zip(MODELS, log_chances, strict=True)
            words = ", ".join(f"{name} {value:.3f}" for name, value in scores)
            self._say(f"{family}, mean log-likelihood of the decisions: {words}")
        return Habits(families, about)

    def _load(self, piece: Piece) -> Found:
        with np.load(self.place / piece.name, allow_pickle=False) as found:
            return dict(found)

    def _measure_strength(self, habits: Habits, generation: int) -> None:
        """Report the champion's place on the ladder, by games against three agents from the top."""
        rated = {**ratings(TRIAL_SEATS)}
        del rated[Champion.name]
        others = sorted(rated, key=lambda spec: -rated[spec])[: TRIAL_SEATS - 1]
        for family in self.families:
            champion = champion_with(habits, self.effort.rollouts)
            agents = [champion, *map(agent_named, others)]
            setting = PERUDO.setting(family)
            games = self.effort.trial_games
            results = play(Contest(PERUDO, setting, agents, games, seed=self.seed, series=1))
            wins = int(np.asarray(results.wins)[:, 0].sum())
            rating = rating_among([rated[spec] for spec in others], wins, games)
            place = 1 + sum(other > rating for other in rated.values())
            self._say(
                f"{family}, generation {generation + 1}: wins {wins} of {games} games against "
                f"{', '.join(others)}: rating {rating:.0f}, place {place} of {len(rated) + 1} "
                f"on the ladder at tables of {TRIAL_SEATS}"
            )

    def _say(self, line: str) -> None:
        self._report(f"{time.perf_counter() - self._started:6.0f} s  {line}")
