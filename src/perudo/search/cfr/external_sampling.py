"""External-sampling Monte Carlo CFR, for any game and any number of players (Lanctot et al. 2009).

In each iteration one player, the traverser, tries all of their moves; the moves of chance and of
the others are sampled. Statistics are kept by information set, or by its abstraction for a player
with a short memory. An iteration's weight is its number (linear CFR).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, combine, next_word, stream_of, uniform
from perudo.games.errors import PerudoError
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    Record,
    State,
    action,
    action_count,
    actor,
    apply,
    copy,
    deal,
    information_key,
    memory_key,
    payoff,
    rewind,
    round_over,
    workspace,
)
from perudo.games.kernel import kernel
from perudo.games.policy import (
    UNIFORM,
    Memory,
    Parameters,
    begin,
    choose,
    consider,
)
from perudo.search.cfr.fsicfr import chunks
from perudo.search.files.book import MISSING, Book, chance_at, look_up
from perudo.search.files.page import ALL_MOVES, Page, quantised
from perudo.search.files.sealed import About
from perudo.search.trees.memory_graph import FREE, find
from perudo.search.trees.outcomes import Keys, Real

MAX_FRAMES = 128
"""The most decisions of the traverser in one round."""
CHUNK = 500
Places = npt.NDArray[np.int64]


class Learnt(NamedTuple):
    """Regrets and strategy sums of the information sets met so far."""

    keys: Keys
    """A hash table of information sets."""
    first: Places
    """The index of each set's first regret and sum."""
    counts: Places
    """The number of each set's moves."""
    used: Places
    """The numbers of sets and of moves in use."""
    regrets: Real
    sums: Real


class Frames(NamedTuple):
    """Rows by move for the traverser's open decisions, and one row for the other players."""

    mixtures: Real
    values: Real


@kernel
def set_key(state: Record, seat: int, memory: int, scratch: Record) -> np.uint64:
    """Return the key of a seat's information set.

    With a short memory it covers the seat's hand at the start of the round and the last moves.
    """
    if memory >= ALL_MOVES:
        return combine(information_key(state, seat), seat)
    copy(scratch, state)
    rewind(scratch)
    return combine(memory_key(state, memory) ^ information_key(scratch, seat), seat)


@kernel
def find_or_open(learnt: Learnt, key: np.uint64, moves: int) -> int:
    """Return the index of an information set, added if it is new; MISSING if there is no room."""
    table, used = learnt.keys, learnt.used
    place = find(table, key)
    if table[place] == FREE:
        if 2 * used[0] >= table.size or used[1] + moves > learnt.regrets.size:
            return MISSING
        table[place] = key
        learnt.first[place] = used[1]
        learnt.counts[place] = moves
        used[0] += 1
        used[1] += moves
    return place


@kernel
def match_regrets(regrets: Real, begin_at: int, moves: int, mixture: Real) -> None:
    """Fill in a mixture in proportion to positive regret, uniform if no regret is positive."""
    total = 0.0
    for move in range(moves):
        mixture[move] = max(regrets[begin_at + move], 0.0)
        total += mixture[move]
    for move in range(moves):
        mixture[move] = mixture[move] / total if total > 0.0 else 1.0 / moves


@kernel
def draw_move(mixture: Real, moves: int, stream: Stream) -> int:
    """Draw a move from a mixture."""
    point = uniform(stream)
    for move in range(moves - 1):
        point -= mixture[move]
        if point < 0.0:
            return move
    return moves - 1


@kernel
def sample_externally(
    states: Record,
    memory: int,
    learnt: Learnt,
    trying: Frames,
    done: int,
    wanted: int,
    stream: Stream,
) -> float:
    """Iterate from ``states[0]``, a round before its deal; return the mean value to the traverser.

    ``states`` has room for a state at each decision of the traverser, and three more. Actions are
    applied only at the end of the loop, because operations are large to compile.
    """
    players = int(states[0].players)
    state, scratch = states[1], states[2]
    first, regrets, sums = learnt.first, learnt.regrets, learnt.sums
    mixtures, below_moves = trying.mixtures, trying.values
    frames = np.zeros((MAX_FRAMES, 3), np.int64)  # the set's index, its moves, the one being tried
    mean = 0.0
    for iteration in range(done, done + wanted):
        seat = iteration % players
        weight = float(iteration + 1)
        copy(state, states[0])
        depth = 0
        while True:
            who = actor(state)
            said = 0
            if who == CHANCE and not round_over(state):
                deal(state, next_word(stream))
                continue
            if who == OVER or round_over(state):
                value = payoff(state, ROUND, seat)
                finished = True
                while depth > 0:
                    frame = depth - 1
                    place, moves, tried = frames[frame, 0], frames[frame, 1], frames[frame, 2]
                    below_moves[frame, tried] = value
                    if tried + 1 < moves:
                        frames[frame, 2] = tried + 1
                        copy(state, states[3 + frame])
                        said = action(state, tried + 1)
                        finished = False
                        break
                    value = 0.0
                    for move in range(moves):
                        value += mixtures[frame, move] * below_moves[frame, move]
                    if place != MISSING:
                        at = first[place]
                        for move in range(moves):
                            regrets[at + move] += weight * (below_moves[frame, move] - value)
                    depth -= 1
                if finished:
                    mean += value
                    break
            else:
                moves = action_count(state)
                key = set_key(state, who, memory, scratch)
                place = find_or_open(learnt, key, moves)
                row = depth if who == seat and depth < MAX_FRAMES else MAX_FRAMES
                mixture = mixtures[row]
                if place == MISSING:
                    for move in range(moves):
                        mixture[move] = 1.0 / moves
                else:
                    match_regrets(regrets, first[place], moves, mixture)
                if row < MAX_FRAMES:
                    frames[depth, 0] = place
                    frames[depth, 1] = moves
                    frames[depth, 2] = 0
                    copy(states[3 + depth], state)
                    depth += 1
                    said = action(state, 0)
                else:
                    if place != MISSING and who != seat:
                        for move in range(moves):
                            sums[first[place] + move] += weight * mixture[move]
                    said = action(state, draw_move(mixture, moves, stream))
            apply(state, said)
    return mean / wanted


class SamplingSolver:
    """Learner of strategies for all players of a round."""

    variant = "mccfr"

    def __init__(
        self,
        start: State,
        memory: int = ALL_MOVES,
        seed: int = 0,
        largest: int = 1 << 20,
    ) -> None:
        """Start with no regrets, at a round before its deal.

        The solver keeps at most ``largest`` information sets; moves elsewhere are random.
        """
        game = start.game
        if memory < ALL_MOVES and not game.operations.rewind(start.record):
            raise PerudoError(f"{game.name} cannot be learnt with a short memory")
        self.start, self.memory = start, memory
        self.iterations = 0
        self._learnt = Learnt(
            keys=np.zeros(2 * largest, np.uint64),
            first=np.zeros(2 * largest, np.int64),
            counts=np.zeros(2 * largest, np.int64),
            used=np.zeros(2, np.int64),
            regrets=np.zeros(16 * largest),
            sums=np.zeros(16 * largest),
        )
        self._states = np.zeros(3 + MAX_FRAMES, game.dtype)
        self._states[0] = start.record
        shape = MAX_FRAMES + 1, game.properties.max_actions
        self._frames = Frames(np.zeros(shape), np.zeros(shape))
        self._stream = stream_of(seed, memory)

    @property
    def information_sets(self) -> int:
        """The number of information sets met so far."""
        return int(self._learnt.used[0])

    @property
    def bytes(self) -> int:
        """The memory used by regrets and strategy sums, in bytes."""
        return int(self._learnt.used[0]) * 24 + int(self._learnt.used[1]) * 16

    def iterate(self, times: int) -> float:
        """Run this many iterations; return the mean value of a round to the traverser."""
        value = 0.0
        for some in chunks(times, CHUNK):
            value += some * sample_externally(
                self._states,
                self.memory,
                self._learnt,
                self._frames,
                self.iterations,
                some,
                self._stream,
            )
            self.iterations += some
        return value / times

    def page(self, about: About) -> Page:
        """Return the average strategies, by information set."""
        learnt = self._learnt
        places = np.flatnonzero(learnt.keys != FREE)
        moves = learnt.counts[places]
        begins = np.concatenate([[0], np.cumsum(moves)])
        chances = np.zeros(int(begins[-1]), np.uint16)
        for place, begin_at, count in zip(places, begins, moves, strict=False):
            at = int(learnt.first[place])
            sums = learnt.sums[at : at + count]
            total = sums.sum()
            mixture = sums / total if total > 0 else np.full(count, 1 / count)
            chances[begin_at : begin_at + count] = quantised(mixture)
        return Page(
            learnt.keys[places],
            begins[:-1].astype(np.int64),
            moves.astype(np.int32),
            chances,
            about,
        )


# --- playing what was learnt ---------------------------------------------------------------------
@kernel
def play_learnt(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Draw a move from the information set's mixture; any legal move in a set never met."""
    scratch = workspace(observation, 1)
    seat = int(observation.viewer)
    key = set_key(observation, seat, int(parameters[0]), scratch[0])
    place = look_up(parameters[1:], key)
    begin(thoughts)
    moves = action_count(observation)
    if place == MISSING:
        thoughts.mixed = UNIFORM
        return int(action(observation, below(stream, moves)))
    total = 0.0
    for move in range(moves):
        total += chance_at(parameters[1:], place, 0, move)
    for move in range(moves):
        share = chance_at(parameters[1:], place, 0, move) / total
        if share > 0.0:
            consider(thoughts, action(observation, move), share, np.nan)
    return choose(thoughts, stream)


def learnt_parameters(page: Page) -> tuple[Book, Parameters]:
    """Return the parameters of ``play_learnt``, and the book that they point into.

    The caller must keep the book alive for as long as the policy is used.
    """
    book = Book.plain(page)
    return book, np.concatenate([[float(page.about["memory"])], book.parameters])
