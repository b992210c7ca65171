"""Random numbers that are a pure function of a key, equal in Python and in compiled kernels.

A die is a function of its game's key and its position in the game, ``(round, seat, die)``: any die
can be recomputed without drawing those before it. Agents and searches draw from a stream, a
one-element array that advances. Both use splitmix64.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from perudo.games.kernel import kernel

Stream = npt.NDArray[np.uint64]
"""A random stream: one unsigned 64-bit word that the caller owns and each draw advances."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_HIGH_HALF = np.uint64(32)


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Scramble a word: the output function of splitmix64 (Steele, Lea and Flood 2014)."""
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


@kernel
def combine(key: np.uint64, number: int) -> np.uint64:
    """Derive the key of a part: of a game in a series, a round in a game, a seat in a round."""
    return mix(key + _GOLDEN * np.uint64(number + 1))


@kernel
def extend(key: np.uint64, number: int) -> np.uint64:
    """Add a small number to a fast running hash, which ``combine`` has to scramble at the end."""
    return (key + np.uint64(number)) * _FIRST


@kernel
def whole(word: np.uint64) -> int:
    """Convert a word to a signed integer.

    In a kernel ``int`` would leave it unsigned, and unsigned with signed arithmetic gives a float.
    """
    return np.int64(word)  # type: ignore[return-value]  # a plain int to a kernel


@kernel
def scale(word: np.uint64, limit: int) -> int:
    """Map a word to 0..limit-1 by its upper half; the bias is below limit / 2**32."""
    return whole(((word >> _HIGH_HALF) * np.uint64(limit)) >> _HIGH_HALF)


@kernel
def next_word(stream: Stream) -> np.uint64:
    """Advance the stream and return 64 random bits."""
    stream[0] = advance(stream[0])
    return mix(stream[0])


@kernel
def advance(word: np.uint64) -> np.uint64:
    """Return a stream's word after one more draw, for loops that keep the word in a register."""
    return word + _GOLDEN


@kernel
def below(stream: Stream, limit: int) -> int:
    """Draw a uniform integer in 0..limit-1."""
    return scale(next_word(stream), limit)


@kernel
def uniform(stream: Stream) -> float:
    """Draw a uniform float in [0, 1)."""
    return float(next_word(stream) >> np.uint64(11)) * 2.0**-53


@kernel
def draw_at(shares: npt.NDArray[np.float64], point: float) -> int:
    """Return the first index whose cumulative probability is above a point, or the last index."""
    low, high = 0, shares.size - 1
    while low < high:
        middle = (low + high) // 2
        if shares[middle] > point:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw(shares: npt.NDArray[np.float64], stream: Stream) -> int:
    """Draw an index from cumulative probabilities, the last of which is 1."""
    return draw_at(shares, uniform(stream))


def key_of(seed: int, *parts: int) -> np.uint64:
    """Return the key for a seed and a path of numbers, for example (game, purpose)."""
    key = np.uint64(seed % 2**64)
    for part in (0, *parts):
        key = np.uint64(combine(key, part))  # a compiled kernel returns a plain int
    return key


def stream_of(seed: int, *parts: int) -> Stream:
    """Return a new stream for a seed and a path of numbers.

    >>> below(stream_of(7), 6) == below(stream_of(7), 6)
    True
    """
    return np.array([key_of(seed, *parts)], dtype=np.uint64)
