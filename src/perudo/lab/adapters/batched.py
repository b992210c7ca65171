"""A batched environment: many games of Perudo side by side, all advanced by one call.

Each lane plays game after game. The key of its n-th game is derived from the seed, the lane and n,
so a lane's dice do not depend on the other lanes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, combine, key_of
from perudo.games.errors import PerudoError
from perudo.games.game import (
    CHANCE,
    MATCH,
    OVER,
    ROUND,
    Record,
    actor,
    apply,
    copy,
    deal,
    payoff,
    refusal,
    require_legal,
    round_over,
)
from perudo.games.kernel import kernel
from perudo.games.perudo import PERUDO, PerudoState, Rules
from perudo.lab.adapters.observation import (
    ActionNumbers,
    Layout,
    Rows,
    Whole,
    new_rows,
    rules_of,
    write_mask,
    write_observation,
)

Real = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]


def horizon_named(payoffs: str) -> int:
    """Return ROUND if payoffs are paid after every round, MATCH if after the match only."""
    horizons = {"round": ROUND, "match": MATCH}
    if payoffs not in horizons:
        raise PerudoError(f"payoffs {payoffs!r} should be 'match' or 'round'")
    return horizons[payoffs]


class Step(NamedTuple):
    """The result of a step, with a row for each lane; later steps do not change these arrays."""

    observations: Rows
    """The observation of the seat to act: (lanes, ``Layout.width``) of int8."""
    masks: Rows
    """1 for each legal action, otherwise 0: (lanes, ``len(ActionNumbers)``) of int8."""
    seats: npt.NDArray[np.int8]
    """The seat to act: (lanes,)."""
    payoffs: npt.NDArray[np.float32]
    """The payoff of the last step to every seat: (lanes, players) of float32."""
    dones: Flags
    """True if the step ended a game; the row is then the next game's first decision: (lanes,)."""


class Lanes(NamedTuple):
    """The games side by side, and what the kernels need to play them."""

    states: Record  # (lanes,)
    start: Record  # (1,): the state before the first deal of a game
    keys: Keys  # (lanes,)
    games: Whole  # (lanes,): the number of each lane's game
    codes: Whole  # (actions,): the game's code of each action number
    by_code: Whole  # (codes,): the action number of each of the game's codes
    horizon: int


@kernel
def show_lane(
    state: Record,
    lane: int,
    by_code: Whole,
    observations: Rows,
    masks: Rows,
    seats: npt.NDArray[np.int8],
) -> None:
    """Write the seat to act, its observation and its mask of legal actions."""
    seat = actor(state)
    seats[lane] = seat
    write_observation(state, seat, observations[lane])
    write_mask(state, by_code, masks[lane])


@kernel
def first_refused(states: Record, actions: Whole, codes: Whole) -> int:
    """Return the first lane whose action is not legal, or -1."""
    for lane in range(actions.size):
        number = actions[lane]
        if number < 0 or number >= codes.size or refusal(states[lane], codes[number]) != 0:
            return lane
    return -1


@kernel
def play(state: Record, code: int, horizon: int, payoffs: Real) -> bool:
    """Play a legal action, write its payoff to each seat, and return True if the game is over."""
    apply(state, code)
    over = bool(actor(state) == OVER)
    settled = over if horizon == MATCH else round_over(state)
    for seat in range(payoffs.size):
        payoffs[seat] = payoff(state, horizon, seat) if settled else 0.0
    return over


@kernel
def step_lanes(lanes: Lanes, actions: Whole, step: Step) -> None:
    """Play one legal action in every lane; if ``actions`` is empty, begin a new game in each."""
    states, start, keys, games, codes, by_code, horizon = lanes
    observations, masks, seats, payoffs, dones = step
    for lane in range(keys.size):
        state = states[lane]
        over = False
        if actions.size > 0:
            over = play(state, codes[actions[lane]], horizon, payoffs[lane])
        if over:
            games[lane] += 1
        if over or actions.size == 0:
            copy(state, start[0])
        dones[lane] = over
        while actor(state) == CHANCE:
            deal(state, combine(keys[lane], games[lane]))
        show_lane(state, lane, by_code, observations, masks, seats)


@kernel
def choose_uniformly(masks: Rows, stream: Stream, actions: Whole) -> int:
    """Draw a legal action for each row of masks; return the first row that has none, or -1."""
    for lane in range(actions.size):
        row = masks[lane]
        legal = 0
        for number in range(row.size):
            legal += 1 if row[number] else 0
        if legal == 0:
            return lane
        left = below(stream, legal)
        number = 0
        while left > 0 or not row[number]:
            left -= 1 if row[number] else 0
            number += 1
        actions[lane] = number
    return -1


def random_actions(masks: Rows, stream: Stream) -> Whole:
    """Draw a uniform legal action for each row of masks from a stream (``stream_of(seed)``)."""
    actions = np.zeros(len(masks), np.int64)
    without = choose_uniformly(masks, stream, actions)
    if without >= 0:
        raise PerudoError(f"row {without} of the masks allows no action; each row should allow one")
    return actions


class BatchedPerudo:
    """A fixed number of games of Perudo at once; a new game replaces each finished one.

    >>> env = BatchedPerudo(4, "common", players=2, seed=1)
    >>> step = env.reset()
    >>> step.observations.shape, step.masks.shape
    ((4, 39), (4, 51))
    >>> step = env.step([0, 0, 7, 7])  # 1x2 in two games, 2x4 in the others
    >>> step.seats.tolist() == [1 - seat for seat in env.reset().seats.tolist()]
    True
    """

    def __init__(
        self,
        lanes: int,
        rules: Rules | str = "official",
        players: int = 2,
        seed: int = 0,
        payoffs: str = "match",
    ) -> None:
        if lanes < 1:
            raise PerudoError(f"lanes should be at least 1, not {lanes}")
        self.lanes, self.players, self.rules = lanes, players, rules_of(rules)
        start = np.zeros(1, PERUDO.dtype)
        start[0] = PERUDO.start(self.rules, players).record
        self.numbers = ActionNumbers(self.rules, players)
        self.layout = Layout(players)
        self._lanes = Lanes(
            np.zeros(lanes, PERUDO.dtype),
            start,
            np.zeros(lanes, np.uint64),
            np.zeros(lanes, np.int64),
            self.numbers.codes,
            self.numbers.by_code,
            horizon_named(payoffs),
        )
        self.reset(seed)

    def reset(self, seed: int | None = None) -> Step:
        """Restart all lanes; without a seed, the last one is used and the same games come again."""
        if seed is not None:
            self._lanes.keys[:] = [key_of(seed, lane) for lane in range(self.lanes)]
        self._lanes.games[:] = 0
        return self._advance(np.zeros(0, np.int64))

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play one action, given by its number, in every lane.

        If one is illegal, none is played and the error names its lane.
        """
        numbers = np.asarray(actions)
        if numbers.shape != (self.lanes,) or numbers.dtype.kind not in "iu":
            raise PerudoError(
                f"actions should be {self.lanes} whole numbers, one for each game; these are of "
                f"shape {numbers.shape} and type {numbers.dtype}"
            )
        numbers = np.ascontiguousarray(numbers, np.int64)
        refused = first_refused(self._lanes.states, numbers, self.numbers.codes)
        if refused >= 0:
            self._refuse(int(refused), int(numbers[refused]))
        return self._advance(numbers)

    def observe(self, lane: int) -> PerudoState:
        """Return the view of the seat to act in a lane, as the agents of this package expect it."""
        state = PerudoState(self._lanes.states[lane])
        assert state.actor is not None  # lanes wait at decisions only
        return state.observe(state.actor)

    @property
    def games_finished(self) -> int:
        """The number of games that have ended since the last reset."""
        return int(self._lanes.games.sum())

    def _advance(self, numbers: Whole) -> Step:
        lanes = self.lanes
        step = Step(
            new_rows(lanes, self.layout.width),
            new_rows(lanes, len(self.numbers)),
            np.zeros(lanes, np.int8),
            np.zeros((lanes, self.players), np.float32),
            np.zeros(lanes, np.bool_),
        )
        step_lanes(self._lanes, numbers, step)
        return step

    def _refuse(self, lane: int, number: int) -> None:
        try:
            require_legal(self._lanes.states[lane], self.numbers.code(number))
        except PerudoError as error:
            raise PerudoError(f"game {lane}: {error}") from None
        raise AssertionError("a legal action was refused")
