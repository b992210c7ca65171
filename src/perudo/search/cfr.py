"""Counterfactual regret minimisation on the public tree, all hands at once.

CFR (Zinkevich et al. 2007), CFR+ (Tammelin 2014) and discounted CFR (Brown and Sandholm 2019),
players in turn. One pass goes down the tree with the chances of reaching each node, one comes back
with values. Nodes of one kind lie side by side, so all loops run over long vectors of (node, hand);
leaves are paid by kinds of hands, so that a leaf costs as much as its hands, not their square.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.errors import UnknownNameError
from perudo.games.kernel import kernel
from perudo.search.public_tree import LEAF, PLAYERS, PublicTree, Real, Small

VARIANTS = ("cfr", "cfr+", "dcfr")
Vector = npt.NDArray[Any]
"""Numbers over (node, hand), in 32 or 64 bits."""
Places = npt.NDArray[np.int64]

LEARN, RESPOND, EVALUATE = range(3)
"""What a pass is for: to learn, to find the best response, to evaluate strategies."""


@kernel
def match_regrets(
    regrets: Vector, begin: int, size: int, moves: int, strategy: Vector, totals: Vector
) -> None:
    """Play in proportion to positive regret; if there is none, all moves alike.

    The regrets of the moves follow one another, each a vector of this size.
    """
    total = totals[:size]
    total[:] = 0
    for move in range(moves):
        regret = regrets[begin + move * size : begin + (move + 1) * size]
        for index in range(size):
            total[index] += max(regret[index], total.dtype.type(0))
    even = total.dtype.type(1.0 / moves)
    for move in range(moves):
        regret = regrets[begin + move * size : begin + (move + 1) * size]
        chance = strategy[begin + move * size : begin + (move + 1) * size]
        for index in range(size):
            positive = max(regret[index], total.dtype.type(0))
            chance[index] = positive / total[index] if total[index] > 0 else even


@kernel
def go_down(
    actors: npt.NDArray[np.int8],
    begins: Places,
    members: Places,
    edges: Places,
    targets: Places,
    offsets: Places,
    hands: Places,
    player: int,
    purpose: int,
    regrets: Vector,
    sums: Vector,
    strategy: Vector,
    own: Vector,
    other: Vector,
    totals: Vector,
    weight: float,
) -> None:
    """From the root down: strategies, and how often each node is reached by either player's will.

    Learning, the player's average strategy is summed up on the way.
    """
    mine, others = hands[player], hands[1 - player]
    for kind in range(actors.size):
        if actors[kind] == LEAF:
            continue
        acts = actors[kind] == player
        count, begin = members[kind], begins[kind]
        moves = edges[kind + 1] - edges[kind]
        size = count * (mine if acts else others)
        source = regrets if purpose == LEARN else sums
        match_regrets(source, offsets[kind], size, moves, strategy, totals)
        from_own = own[begin * mine : (begin + count) * mine]
        from_other = other[begin * others : (begin + count) * others]
        for move in range(moves):
            target = targets[edges[kind] + move]
            place = offsets[kind] + move * size
            chance = strategy[place : place + size]
            to_own = own[target * mine : (target + count) * mine]
            to_other = other[target * others : (target + count) * others]
            if acts:
                to_other[:] = from_other
                if purpose != LEARN:
                    continue
                total = sums[place : place + size]
                factor = total.dtype.type(weight)
                for index in range(size):
                    reach = from_own[index] * chance[index]
                    to_own[index] = reach
                    total[index] += factor * reach
            else:
                for index in range(size):
                    to_other[index] = from_other[index] * chance[index]
                if purpose == LEARN:
                    to_own[:] = from_own


@kernel
def pay_leaves(
    count: int,
    payoffs: Real,
    own_kinds: Small,
    other_kinds: Small,
    player: int,
    reach: Vector,
    value: Vector,
    totals: Vector,
) -> None:
    """What leaves of one kind are worth to each of a player's hands."""
    mine, others = own_kinds.size, other_kinds.size
    rows, columns = payoffs.shape
    for node in range(count):
        totals[: max(rows, columns)] = 0
        for hand in range(others):
            totals[other_kinds[hand]] += reach[node * others + hand]
        for hand in range(mine):
            kind = own_kinds[hand]
            worth = 0.0
            if player == 0:
                for other in range(columns):
                    worth += payoffs[kind, other] * totals[other]
            else:
                for other in range(rows):
                    worth -= payoffs[other, kind] * totals[other]
            value[node * mine + hand] = worth


@kernel
def come_back(
    actors: npt.NDArray[np.int8],
    begins: Places,
    members: Places,
    edges: Places,
    targets: Places,
    leaves: Small,
    row_kinds: Small,
    column_kinds: Small,
    payoffs: Real,
    offsets: Places,
    hands: Places,
    player: int,
    purpose: int,
    regrets: Vector,
    strategy: Vector,
    other: Vector,
    values: Vector,
    totals: Vector,
    keep_positive: float,
    keep_negative: float,
) -> None:
    """From the leaves up: values of the player's hands; learning, regrets are added up."""
    mine, others = hands[player], hands[1 - player]
    for kind in range(actors.size - 1, -1, -1):
        count, begin = members[kind], begins[kind]
        size = count * mine
        value = values[begin * mine : begin * mine + size]
        if actors[kind] == LEAF:
            leaf = leaves[kind]
            own_kinds = row_kinds[leaf] if player == 0 else column_kinds[leaf]
            other_kinds = column_kinds[leaf] if player == 0 else row_kinds[leaf]
            reach = other[begin * others : (begin + count) * others]
            pay_leaves(count, payoffs[leaf], own_kinds, other_kinds, player, reach, value, totals)
            continue
        acts = actors[kind] == player
        moves = edges[kind + 1] - edges[kind]
        for move in range(moves):
            target = targets[edges[kind] + move] * mine
            below = values[target : target + size]
            if acts and purpose != RESPOND:
                place = offsets[kind] + move * size
                chance = strategy[place : place + size]
                if move == 0:
                    for index in range(size):
                        value[index] = chance[index] * below[index]
                else:
                    for index in range(size):
                        value[index] += chance[index] * below[index]
            elif move == 0:
                value[:] = below
            elif acts:
                for index in range(size):
                    value[index] = max(value[index], below[index])
            else:
                for index in range(size):
                    value[index] += below[index]
        if acts and purpose == LEARN:
            for move in range(moves):
                target = targets[edges[kind] + move] * mine
                below = values[target : target + size]
                place = offsets[kind] + move * size
                add_regrets(
                    regrets[place : place + size], below, value, keep_positive, keep_negative
                )


@kernel
def add_regrets(
    regret: Vector, below: Vector, value: Vector, keep_positive: float, keep_negative: float
) -> None:
    """Add what a move would have gained; old regrets fade, or negative ones are forgotten."""
    number = regret.dtype.type
    positive, negative = number(keep_positive), number(keep_negative)
    if keep_negative == 0.0:
        for index in range(regret.size):
            regret[index] = max(regret[index] * positive + below[index] - value[index], number(0))
    else:
        for index in range(regret.size):
            kept = regret[index]
            kept *= positive if kept > 0 else negative
            regret[index] = kept + below[index] - value[index]


class Solver:
    """Regrets and strategy sums of a round being solved."""

    def __init__(
        self,
        tree: PublicTree,
        variant: str = "cfr+",
        precision: type[np.floating[Any]] = np.float64,
        alpha: float = 1.5,
        beta: float = 0.0,
        gamma: float = 2.0,
    ) -> None:
        """Begin with no regrets.

        In discounted CFR the t-th positive regrets are kept to t**alpha / (t**alpha + 1), the
        negative with beta, and the t-th strategy weighs t**gamma in the average.
        """
        if variant not in VARIANTS:
            raise UnknownNameError(f"unknown variant {variant!r}; there are: {', '.join(VARIANTS)}")
        self.tree, self.variant = tree, variant
        self._alpha, self._beta, self._gamma = alpha, beta, gamma
        self._hands = np.array([len(weights) for weights in tree.weights], np.int64)
        moves = np.diff(tree.edges)
        acting = self._hands[np.maximum(tree.actors, 0)]
        sizes = np.where(tree.actors == LEAF, 0, tree.members * moves * acting)
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        entries = int(self.offsets[-1])
        self.regrets = np.zeros(entries, precision)
        self.sums = np.zeros(entries, precision)
        self._strategy = np.zeros(entries, precision)
        widest = int(self._hands.max())
        self._reach = [np.zeros(tree.nodes * int(hands), precision) for hands in self._hands]
        self._values = np.zeros(tree.nodes * widest, precision)
        largest = int((tree.members * acting).max())
        self._totals = np.zeros(max(largest, 64), precision)
        self.iterations = 0

    @property
    def bytes(self) -> int:
        """Memory of the solver's arrays."""
        arrays = (self.regrets, self.sums, self._strategy, self._values, self._totals, *self._reach)
        return sum(array.nbytes for array in arrays)

    def iterate(self, times: int = 1) -> None:
        """Both players learn, one after the other."""
        for _ in range(times):
            self.iterations += 1
            turn = float(self.iterations)
            positive, negative, weight = 1.0, 1.0, 1.0
            if self.variant == "cfr+":
                negative, weight = 0.0, turn
            elif self.variant == "dcfr":
                positive = turn**self._alpha / (turn**self._alpha + 1)
                negative = turn**self._beta / (turn**self._beta + 1)
                weight = turn**self._gamma
            for player in range(PLAYERS):
                self._pass(player, LEARN, self.sums, weight, positive, negative)

    def average(self) -> Vector:
        """The average strategy: the chance of every move, laid out like the sums."""
        chances = np.zeros_like(self.sums)
        tree = self.tree
        for kind in np.flatnonzero(tree.actors != LEAF):
            moves = int(tree.edges[kind + 1] - tree.edges[kind])
            size = int(tree.members[kind] * self._hands[tree.actors[kind]])
            match_regrets(self.sums, int(self.offsets[kind]), size, moves, chances, self._totals)
        return chances

    def value(self, sums: Vector | None = None) -> float:
        """What the average strategies are worth to the first player."""
        return self._pass(0, EVALUATE, self.sums if sums is None else sums)

    def best_response(self, player: int, sums: Vector | None = None) -> float:
        """What the best answer to the other's average strategy is worth to a player."""
        return self._pass(player, RESPOND, self.sums if sums is None else sums)

    def exploitability(self, sums: Vector | None = None) -> float:
        """How much a player loses, on average over seats, against somebody who knows them."""
        return sum(self.best_response(player, sums) for player in range(PLAYERS)) / PLAYERS

    def _pass(
        self,
        player: int,
        purpose: int,
        sums: Vector,
        weight: float = 0.0,
        positive: float = 1.0,
        negative: float = 1.0,
    ) -> float:
        """Down and up once for a player; returns the value of the root to them."""
        tree, own, other = self.tree, self._reach[player], self._reach[1 - player]
        own[: self._hands[player]] = 1.0
        other[: self._hands[1 - player]] = tree.weights[1 - player]
        go_down(
            tree.actors,
            tree.begin,
            tree.members,
            tree.edges,
            tree.targets,
            self.offsets,
            self._hands,
            player,
            purpose,
            self.regrets,
            sums,
            self._strategy,
            own,
            other,
            self._totals,
            weight,
        )
        come_back(
            tree.actors,
            tree.begin,
            tree.members,
            tree.edges,
            tree.targets,
            tree.leaves,
            tree.row_kinds,
            tree.column_kinds,
            tree.payoffs,
            self.offsets,
            self._hands,
            player,
            purpose,
            self.regrets,
            self._strategy,
            other,
            self._values,
            self._totals,
            positive,
            negative,
        )
        return float(self._values[: self._hands[player]] @ tree.weights[player])
