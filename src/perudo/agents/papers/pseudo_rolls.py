"""Deals of the others' dice for rollouts, and the number of rollouts that suits them.

The Perudo thesis (``mcts`` cites it) calls them pseudo-rolls and deals them at random. Its
conclusions suggest two other methods, which are options here: every distinct deal in turn, and
deals informed by the others' bids. The latter come in two forms: a heuristic about faces, or Bayes'
rule with a model of the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perudo.games.chance import Stream, below, uniform
from perudo.games.game import Record, redeal, workspace
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    FIRST_BID_CODE,
    count_in_hand,
    die_in_hand,
    face_of,
    history_action,
    history_seat,
)
from perudo.games.perudo.rules import FACES, MAX_PLAYERS, MAX_QUANTITY
from perudo.games.policy import Model
from perudo.search.online.beliefs import Belief, believe, deal_believed, no_belief

PSEUDO_ROLLS = ("random", "enumerate", "informed", "believed")
AT_RANDOM, ENUMERATED, INFORMED, BELIEVED = range(4)


class Dealer(NamedTuple):
    """A method of dealing, with its arrays; the arrays of other methods are empty."""

    kind: int
    hands: npt.NDArray[np.uint64]  # (listed,): ENUMERATED: every hand, cup by cup or of one pool
    weights: npt.NDArray[np.float64]  # (listed,): relative probability of each; 1 on average
    starts: npt.NDArray[np.int64]  # (MAX_PLAYERS + 1,): the index of each cup's first hand
    order: npt.NDArray[np.int64]  # (deals,): the numbers of the deals, shuffled
    faces: npt.NDArray[np.float64]  # (MAX_PLAYERS, FACES + 1): INFORMED, see ``face_chances``
    belief: Belief  # BELIEVED


FACTORIAL = np.array([float(np.prod(np.arange(1.0, n + 1))) for n in range(MAX_QUANTITY + 1)])


@kernel
def combinations(dice: int) -> int:
    """Return the number of different hands of some dice, unordered: CR in the thesis (5.2)."""
    product = 1
    for step in range(1, FACES):
        product = product * (dice + step) // step
    return product


@kernel
def different_deals(state: Record, seat: int, by_seat: bool, most: int) -> int:
    """Return the number of different deals of the others' dice, pooled or cup by cup.

    Counting stops above ``most``: the product over ten cups would overflow 64 bits.
    """
    if not by_seat:
        return combinations(int(state.total) - int(state.counts[seat]))
    product = 1
    for other in range(int(state.players)):
        if other != seat and product <= most:
            product *= combinations(int(state.counts[other]))
    return product


@kernel
def rollout_budget(state: Record, seat: int, by_seat: bool, cap: int) -> int:
    """Return a tenth more rollouts than there are deals, rounded up, but at most the cap."""
    deals = min(different_deals(state, seat, by_seat, cap), cap)
    return min((11 * deals + 9) // 10, cap)


# --- every deal in turn -------------------------------------------------------------------------
@kernel
def list_multisets(
    dice: int, hands: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64], start: int
) -> int:
    """List every hand of a number of dice, weighted by the number of its orders.

    Weights are relative to the average number of orders, so they average 1. Return the index after
    the last hand.
    """
    counts = np.zeros(FACES, np.int64)
    counts[0] = dice
    average = float(FACES) ** dice / combinations(dice)
    place = start
    while True:
        hand = np.uint64(0)
        orders = FACTORIAL[dice]
        for face in range(FACES):
            hand += np.uint64(counts[face]) << np.uint64(8 * (face + 1))
            orders /= FACTORIAL[counts[face]]
        hands[place] = hand
        weights[place] = orders / average
        place += 1
        # Next hand: move one die up from the lowest face that has any, and reset the rest to ones.
        face = 0
        while face < FACES and counts[face] == 0:
            face += 1
        if face >= FACES - 1:
            return place
        rest = counts[face] - 1
        counts[face] = 0
        counts[face + 1] += 1
        counts[0] = rest


@kernel
def split_pool(state: Record, seat: int, pool: np.uint64, stream: Stream) -> None:
    """Distribute the dice of a pool among the others' cups at random."""
    left = int(state.total) - int(state.counts[seat])
    for other in range(int(state.players)):
        if other != seat:
            hand = np.uint64(0)
            for _ in range(int(state.counts[other])):
                index = below(stream, left)
                face = 1
                while index >= count_in_hand(pool, face):
                    index -= count_in_hand(pool, face)
                    face += 1
                pool -= die_in_hand(face)
                hand += die_in_hand(face)
                left -= 1
            state.hands[other] = hand


@kernel
def deal_in_turn(
    state: Record, seat: int, by_seat: bool, dealer: Dealer, turn: int, stream: Stream
) -> float:
    """Deal the hands of turn ``turn``, and return the weight of the deal."""
    hands, weights, starts, order = dealer.hands, dealer.weights, dealer.starts, dealer.order
    index = int(order[turn % len(order)])
    if not by_seat:
        split_pool(state, seat, hands[index], stream)
        return float(weights[index])
    weight = 1.0
    for other in range(int(state.players)):
        size = starts[other + 1] - starts[other]
        if size > 0:
            place = starts[other] + index % size
            index //= size
            state.hands[other] = hands[place]
            weight *= weights[place]
    return weight


# --- deals informed by bids ---------------------------------------------------------------------
@kernel
def face_chances(state: Record, belief: float, faces: npt.NDArray[np.float64]) -> None:
    """Write each seat's cumulative face probabilities, given the seat's bids.

    A face weighs 1, and ``belief`` more for each bid of that seat on it; the wild face always
    weighs 1.
    """
    for seat in range(int(state.players)):
        for face in range(1, FACES + 1):
            faces[seat, face] = 1.0
    for index in range(int(state.actions)):
        entry = int(state.history[index])
        said = history_action(entry)
        if said >= FIRST_BID_CODE and face_of(said) != state.wild_face:
            faces[history_seat(entry), face_of(said)] += belief
    for seat in range(int(state.players)):
        total = 0.0
        for face in range(1, FACES + 1):
            total += faces[seat, face]
            faces[seat, face] = total
        for face in range(1, FACES + 1):
            faces[seat, face] /= total


@kernel
def deal_informed(state: Record, seat: int, faces: npt.NDArray[np.float64], stream: Stream) -> None:
    """Roll the others' dice with the probabilities of ``face_chances``."""
    for other in range(int(state.players)):
        if other != seat:
            hand = np.uint64(0)
            for _ in range(int(state.counts[other])):
                draw = uniform(stream)
                face = 1
                while face < FACES and draw >= faces[other, face]:
                    face += 1
                hand += die_in_hand(face)
            state.hands[other] = hand


# --- any of the four ----------------------------------------------------------------------------
@kernel
def new_dealer(
    state: Record,
    seat: int,
    by_seat: bool,
    kind: int,
    belief: float,
    rollouts: int,
    model: Model,
    stream: Stream,
) -> Dealer:
    """Return a dealer for the position.

    If there are more deals than rollouts, the dealer deals at random instead of in turn. A belief
    comes from the model's probabilities of the bids so far.
    """
    bids = no_belief(workspace(state, 2))
    if kind == BELIEVED:
        bids = believe(state, seat, model, stream)
    deals, listed = 1, 1
    starts = np.zeros(MAX_PLAYERS + 1, np.int64)
    if kind == ENUMERATED:
        deals = different_deals(state, seat, by_seat, rollouts)
        if deals > rollouts:
            kind, deals = AT_RANDOM, 1
        else:
            listed = deals if not by_seat else MAX_PLAYERS * deals
    hands = np.empty(listed, np.uint64)
    weights = np.empty(listed)
    order = np.arange(deals)
    faces = np.zeros((MAX_PLAYERS, FACES + 1))
    if kind == ENUMERATED:
        place = 0
        if not by_seat:
            list_multisets(int(state.total) - int(state.counts[seat]), hands, weights, 0)
        for other in range(int(state.players)):
            starts[other] = place
            if by_seat and other != seat and state.counts[other] > 0:
                place = list_multisets(int(state.counts[other]), hands, weights, place)
            starts[other + 1] = place
        # Shuffle, so that the first few deals are not all alike.
        for last in range(deals - 1, 0, -1):
            other = below(stream, last + 1)
            order[last], order[other] = order[other], order[last]
    elif kind == INFORMED:
        face_chances(state, belief, faces)
    return Dealer(kind, hands, weights, starts, order, faces, bids)


@kernel
def deal_pseudo_rolls(
    state: Record, seat: int, by_seat: bool, dealer: Dealer, turn: int, stream: Stream
) -> float:
    """Deal hands to all others, and return the weight of the deal."""
    kind = dealer.kind
    if kind == ENUMERATED:
        return deal_in_turn(state, seat, by_seat, dealer, turn, stream)
    if kind == INFORMED:
        deal_informed(state, seat, dealer.faces, stream)
    elif kind == BELIEVED:
        deal_believed(state, seat, dealer.belief, stream)
    else:
        redeal(state, seat, stream)
    return 1.0
