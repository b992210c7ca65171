"""The value of a match to each player, by the dice they hold, computed from how rounds end.

A model fitted to observed rounds predicts, for each number of players, who loses or gains a die, by
the players' places after the opener and their dice. From it follow the values of all dice counts,
for players of equal strength.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.match_worth import FIRST, MOST_DICE, MOST_PLAYERS, SIZE, Worth

Real = npt.NDArray[np.float64]
Rounds = npt.NDArray[np.int64]
"""One row per round: the number of players, their dice in the order of turns from the opener, and
the outcome: 0 for no change, n if the n-th player lost a die, -n if the n-th player gained one."""
WIDTH = MOST_PLAYERS + 2
L2_PENALTY = 1e-4
"""The weight of L2 regularisation, which keeps the coefficients of rare events finite."""
STEPS, RATE = 400, 0.1
"""The number of steps of Adam, and its initial rate."""
TOLERANCE = 1e-7


def _features(counts: Rounds) -> Real:
    """Return features by dice counts and turn: place, own dice, last die, and neighbours' dice."""
    rows, players = counts.shape
    places = np.broadcast_to(np.eye(players), (rows, players, players))
    dice = counts / MOST_DICE
    rest = [dice, counts == 1, np.roll(dice, -1, axis=1), np.roll(dice, 1, axis=1)]
    return np.concatenate([places, np.stack(rest, axis=2)], axis=2)


def _chances(coefficients: Real, counts: Rounds) -> Real:
    """Return probabilities by dice counts: no change, each player's loss, each player's gain."""
    features = _features(counts)
    losing, gaining = coefficients[1:].reshape(2, features.shape[2])
    gains = np.where(counts < MOST_DICE, features @ gaining, -np.inf)
    nothing = np.full((len(counts), 1), coefficients[0])
    scores = np.concatenate([nothing, features @ losing, gains], axis=1)
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))


def fit_rounds(counts: Rounds, happened: Rounds) -> Real:
    """Fit the coefficients of the model to rounds with one number of players."""
    players = counts.shape[1]
    features = _features(counts)
    numbers = features.shape[2]
    column = np.where(happened >= 0, happened, players - happened)
    actual = np.eye(1 + 2 * players)[column]

    coefficients = np.zeros(1 + 2 * numbers)
    mean, square = np.zeros((2, coefficients.size))
    for step in range(1, STEPS + 1):
        off = (_chances(coefficients, counts) - actual) / len(counts)
        slopes = np.concatenate(
            [
                [off[:, 0].sum()],
                np.einsum("sp,spn->n", off[:, 1 : players + 1], features),
                np.einsum("sp,spn->n", off[:, players + 1 :], features),
            ]
        )
        slopes += L2_PENALTY * coefficients
        mean += 0.1 * (slopes - mean)
        square += 0.01 * (slopes**2 - square)
        unbiased = mean / (1.0 - 0.9**step), square / (1.0 - 0.99**step)
        rate = RATE * (1.0 - step / (STEPS + 1))
        coefficients -= rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-9)
    return coefficients


def _all_counts(players: int) -> Rounds:
    return np.indices((MOST_DICE,) * players).reshape(players, -1).T + 1


def _number(counts: Rounds) -> Rounds:
    """Return the index of each row of dice counts in its table."""
    number = np.zeros(len(counts), np.int64)
    for turn in range(counts.shape[1]):
        number = number * MOST_DICE + counts[:, turn] - 1
    return number


def _after(counts: Rounds, turn: int, change: int, tables: dict[int, Real]) -> Real:
    """Return values by dice counts and player, after a player loses or gains a die and opens.

    A player who loses the last die is out, and the next player opens.
    """
    players = counts.shape[1]
    changed = counts.copy()
    changed[:, turn] += change
    worth = np.zeros(counts.shape)
    stays = (changed[:, turn] > 0) & (changed[:, turn] <= MOST_DICE)
    rotated = np.roll(changed[stays], -turn, axis=1)
    worth[stays] = np.roll(tables[players][_number(rotated)], turn, axis=1)
    out = changed[:, turn] == 0
    others = [(turn + step) % players for step in range(1, players)]
    if players == 2:
        worth[np.ix_(out, others)] = 1.0
    else:
        worth[np.ix_(out, others)] = tables[players - 1][_number(changed[out][:, others])]
    return worth


def worth_of_counts(coefficients: dict[int, Real]) -> Worth:
    """Return the values of all dice counts, given the model's coefficients by number of players."""
    worth = np.zeros(SIZE)
    tables: dict[int, Real] = {}
    for players in range(2, MOST_PLAYERS + 1):
        counts = _all_counts(players)
        chances = _chances(coefficients[players], counts)
        tables[players] = np.full(counts.shape, 1.0 / players)
        moved = 1.0
        while moved > TOLERANCE:
            new = np.zeros(counts.shape)
            for turn in range(players):
                losing, gaining = chances[:, 1 + turn, None], chances[:, 1 + players + turn, None]
                new += losing * _after(counts, turn, -1, tables)
                new += gaining * _after(counts, turn, +1, tables)
            new += chances[:, :1] * tables[players]
            moved = float(np.abs(new - tables[players]).max())
            tables[players] = new
        worth[FIRST[players] : FIRST[players + 1]] = tables[players].ravel()
    return worth


def learn_match_worth(rounds: Rounds) -> Worth:
    """Return the values of all dice counts, learnt from observed rounds."""
    coefficients = {}
    for players in range(2, MOST_PLAYERS + 1):
        some = rounds[rounds[:, 0] == players]
        coefficients[players] = fit_rounds(some[:, 1 : players + 1], some[:, -1])
    return worth_of_counts(coefficients)
