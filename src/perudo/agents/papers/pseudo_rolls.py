"""The dice that a search deals to the others in its head, and how many deals it can afford.

The thesis calls them pseudo-rolls and deals them at random. Its conclusions suggest two other
ways, which are options here: one deal of each kind, and deals informed by what the others bid. The
latter in two forms: a rule of thumb about faces, or Bayes' rule with a model of the others.
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
    """One of the ways to deal, with what it needs; what others need is empty."""

    kind: int
    hands: npt.NDArray[np.uint64]  # (listed,): ENUMERATED: every hand, cup by cup or of one pool
    weights: npt.NDArray[np.float64]  # (listed,): how often each falls; 1 on average
    starts: npt.NDArray[np.int64]  # (MAX_PLAYERS + 1,): the place of each cup's first hand
    order: npt.NDArray[np.int64]  # (deals,): the numbers of the deals, shuffled
    faces: npt.NDArray[np.float64]  # (MAX_PLAYERS, FACES + 1): INFORMED, see ``face_chances``
    belief: Belief  # BELIEVED


FACTORIAL = np.array([float(np.prod(np.arange(1.0, n + 1))) for n in range(MAX_QUANTITY + 1)])


@kernel
def combinations(dice: int) -> int:
    """How many different hands so many dice make, their order aside: CR in the thesis (5.2)."""
    product = 1
    for step in range(1, FACES):
        product = product * (dice + step) // step
    return product


@kernel
def different_deals(state: Record, seat: int, by_seat: bool, most: int) -> int:
    """How many different deals of the others' dice there are, all in one pool or cup by cup.

    Counting stops above ``most``: the product over ten cups would not fit into a word.
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
    """A tenth more rollouts than there are deals, rounded up, but not more than the cap."""
    deals = min(different_deals(state, seat, by_seat, cap), cap)
    return min((11 * deals + 9) // 10, cap)


# --- every deal in turn -------------------------------------------------------------------------
@kernel
def list_multisets(
    dice: int, hands: npt.NDArray[np.uint64], weights: npt.NDArray[np.float64], start: int
) -> int:
    """Write down every hand of so many dice, and in how many orders it can fall.

    The orders are given as a share of their average, so that weights average 1. Returns the place
    after the last hand.
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
        # The next one: a die moves up from the lowest face that has any, the rest go back to ones.
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
    """Put the dice of one pool into the others' cups at random."""
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
    """The deal whose turn it is; returns its weight."""
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
    """How likely a die of each seat shows each face or a lower one, after what the seat has bid.

    A face weighs 1, and ``belief`` more for each bid of that seat on it; the wild face always 1.
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
    """Roll the others' dice by those chances."""
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
    """Prepare to deal.

    More deals than rollouts cannot be taken in turn: then they are random. A belief is formed by
    asking the model about the bids so far.
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
        # Shuffled, so that the first few deals are not all alike.
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
    """Deal to all others; returns the weight of the deal."""
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
