"""Monte Carlo tree search over the bids of one round, as in the Perudo thesis.

Source: Ana Hernandez, "AI for Perudo", MSc thesis, University of Strathclyde, 2021.

Every rollout deals the others' dice again, so the tree holds only public information. Its nodes are
in one array. A node's children are a block of that array, or, where the Observer moves for an
opponent, a linked list to which each new answer is added.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.papers.observer import PHASES, SAFE, Observer, weigh_as_observer
from perudo.agents.papers.pseudo_rolls import (
    AT_RANDOM,
    PSEUDO_ROLLS,
    deal_pseudo_rolls,
    new_dealer,
    rollout_budget,
)
from perudo.agents.parameters import choice, number
from perudo.agents.table_facts import NO_BID, chance_of
from perudo.games.chance import Stream, below, whole
from perudo.games.game import (
    Record,
    action,
    action_count,
    actor,
    apply,
    copy,
    finish_round_randomly,
    redeal,
    round_over,
)
from perudo.games.kernel import kernel, now
from perudo.games.perudo import PERUDO
from perudo.games.perudo.layout import CALZA_RIGHT, FIRST_BID_CODE, STATE_DTYPE
from perudo.games.policy import (
    NO_PHASE,
    Memory,
    Model,
    Parameters,
    begin,
    choose,
    consider,
    number_of,
)

SCORINGS = ("lose", "gain", "ten")
REWARDS = np.array([[-1.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [-10.0, 0.0, 1.0]])
"""Rewards of each scoring: for losing dice, for no change, and for gaining a die by calza."""
FINALS = ("mean", "visits")
BY_MEAN, BY_VISITS = range(2)

RANDOM_OPPONENTS, OBSERVERS, OBSERVERS_IN_DANGER = range(3)
"""Models of the opponents. With the last, the agent searches only if the Observer would be in
danger, and otherwise plays as the Observer."""

EXPLORATION, SCORING, ROLLOUTS, CAP, TIME_LIMIT, FINAL, DEALS, BELIEF, STYLE, MODEL = range(10)
"""Indices of the parameters: the fields of ``MctsRandom`` in order, then its style and the address
of the Observer, the model for beliefs."""

OBSERVER = Observer().parameters
ROLLOUTS_PER_CLOCK_CHECK = 16
"""Number of rollouts between two looks at the clock."""
MAX_NODES = 2_000_000
"""Maximum size of the tree; at this size it stops growing, and its leaves are played out."""

# --- the tree -----------------------------------------------------------------------------------
NODE_DTYPE: np.dtype[Any] = np.dtype(
    (
        np.record,
        [
            ("worth", "f8"),  # the mean reward, to the searcher
            ("spread", "f8"),  # 1 / sqrt(visits)
            ("weight", "f8"),  # sum over all deals so far; the number of visits if all weigh 1
            ("visits", "i4"),
            ("action", "i8"),  # the action that leads here
            ("parent", "i4"),
            ("first", "i4"),  # the first child
            ("children", "i4"),  # number of children, or LEAF
            ("tried", "i4"),  # number of children visited, which come first
            ("sibling", "i4"),  # the next child in a linked list
        ],
    )
)
Nodes = Any
ROOT = 0
NO_NODE = -1
LEAF = -1


@kernel
def plant(nodes: Nodes, place: int, parent: int, action: int) -> None:
    """Initialise an unvisited node."""
    node = nodes[place]
    node.worth = 0.0
    node.spread = 0.0
    node.weight = 0.0
    node.visits = 0
    node.action = action
    node.parent = parent
    node.first = NO_NODE
    node.children = LEAF
    node.tried = 0
    node.sibling = NO_NODE


@kernel
def expand(nodes: Nodes, place: int, used: int, state: Record) -> int:
    """Give a node all legal actions as children, and return the number of nodes then in use."""
    node = nodes[place]
    children = action_count(state)
    node.first = used
    node.children = children
    node.tried = 0
    for index in range(children):
        nodes[used + index].action = action(state, index)
    return used + int(children)


@kernel
def best_by_ucb(nodes: Nodes, first: int, children: int, sign: float, exploration: float) -> int:
    """Return the child with the highest sign * mean + exploration / sqrt(visits), all visited.

    With exploration = c * sqrt(ln N) this is the thesis' UCB, where N is the node's own number of
    visits; the sign is negative where an opponent chooses.
    """
    best, place = -np.inf, first
    for child in range(first, first + children):
        bound = sign * nodes[child].worth + exploration * nodes[child].spread
        if bound > best:
            best, place = bound, child
    return place


@kernel
def select(nodes: Nodes, place: int, sign: float, c: float, stream: Stream) -> int:
    """Return a random unvisited child, or the best child by UCB if all have been visited."""
    node = nodes[place]
    first, tried, children = int(node.first), int(node.tried), int(node.children)
    if tried == children:
        exploration = c * math.sqrt(math.log(float(node.visits)))
        return best_by_ucb(nodes, first, children, sign, exploration)
    new = first + tried
    drawn = new + below(stream, children - tried)
    taken = int(nodes[drawn].action)
    nodes[drawn].action = nodes[new].action
    plant(nodes, new, place, taken)
    node.tried = tried + 1
    return new


@kernel
def child_for(nodes: Nodes, place: int, used: int, action: int) -> int:
    """Return the child of a linked list that an action leads to, adding it at ``used`` if new."""
    child = int(nodes[place].first)
    while child != NO_NODE:
        if nodes[child].action == action:
            return child
        child = int(nodes[child].sibling)
    plant(nodes, used, place, action)
    nodes[used].sibling = nodes[place].first
    nodes[place].first = used
    return used


@kernel
def back_up(nodes: Nodes, place: int, reward: float, weight: float) -> None:
    """Back up a reward: update the means of a node and of all nodes above it."""
    while place != NO_NODE:
        node = nodes[place]
        visits = int(node.visits) + 1
        node.visits = visits
        node.spread = 1.0 / math.sqrt(float(visits))
        node.weight += weight
        node.worth += (reward - node.worth) * weight / node.weight
        place = int(node.parent)


# --- playing out --------------------------------------------------------------------------------
@kernel
def ask_observer(state: Record, observer: Parameters, stream: Stream, thoughts: Record) -> int:
    """Return the Observer's action for the seat to act."""
    weigh_as_observer(state, actor(state), observer, thoughts)
    return choose(thoughts, stream)


@kernel
def reward_of(state: Record, seat: int, scoring: int) -> float:
    """Return the reward of a settled round to the searcher.

    A right calza counts as gaining a die even with a full cup. The thesis must have done the same,
    because its experiments with five dice each distinguish the scorings.
    """
    reveal = state.reveal
    if reveal.lost[seat] > 0:
        return float(REWARDS[scoring, 0])
    gains = reveal.reason == CALZA_RIGHT and reveal.caller == seat
    return float(REWARDS[scoring, 2 if gains else 1])


# --- the search ---------------------------------------------------------------------------------
@kernel
def grow(
    nodes: Nodes,
    workspace: Any,
    observation: Record,
    opponents: int,
    rollouts: int,
    parameters: Parameters,
    model: Model,
    stream: Stream,
) -> int:
    """Grow a tree by a number of rollouts, and return how many the time limit allowed.

    A node is played out on its first visit and expanded on its second. The model is an Observer
    that uses the searcher's thoughts as scratch space.
    """
    seat = whole(observation.viewer)
    by_seat = opponents == OBSERVERS
    c, scoring, limit = parameters[EXPLORATION], int(parameters[SCORING]), parameters[TIME_LIMIT]
    state = workspace[0]
    kind, belief = int(parameters[DEALS]), parameters[BELIEF]
    dealer = new_dealer(observation, seat, by_seat, kind, belief, rollouts, model, stream)
    at_random, observer, thoughts = dealer.kind == AT_RANDOM, model.parameters, model.thoughts
    started = now() if limit > 0.0 else 0.0
    plant(nodes, ROOT, NO_NODE, 0)
    used = expand(nodes, ROOT, ROOT + 1, observation)
    room = len(nodes)
    for done in range(rollouts):
        if (
            limit > 0.0
            and done % ROLLOUTS_PER_CLOCK_CHECK == 0
            and done > 0
            and now() > started + limit
        ):
            return done
        place = select(nodes, ROOT, 1.0, c, stream)
        copy(state, observation)
        weight = 1.0
        if at_random:
            redeal(state, seat, stream)
        else:  # each own action takes the deals in turn, and so sees every deal equally often
            turn = int(nodes[place].visits)
            weight = deal_pseudo_rolls(state, seat, by_seat, dealer, turn, stream)
        said, in_tree = int(nodes[place].action), True
        while True:  # only one call of `apply`, which is large and would be compiled for each call
            apply(state, said)
            if round_over(state):
                break
            own = actor(state) == seat
            in_tree = in_tree and nodes[place].visits > 0
            if in_tree and by_seat and not own:
                said = ask_observer(state, observer, stream, thoughts)
                if used == room:
                    in_tree = False
                else:
                    place = child_for(nodes, place, used, said)
                    used += place == used
                continue
            if in_tree and nodes[place].children == LEAF:
                in_tree = used + action_count(state) <= room
                if in_tree:
                    used = expand(nodes, place, used, state)
            if in_tree:
                place = select(nodes, place, 1.0 if own else -1.0, c, stream)
                said = int(nodes[place].action)
            elif not by_seat:
                finish_round_randomly(state, stream)
                break
            elif own:
                said = action(state, below(stream, action_count(state)))
            else:
                said = ask_observer(state, observer, stream, thoughts)
        back_up(nodes, place, reward_of(state, seat, scoring), weight)
    return rollouts


@kernel
def best_child(nodes: Nodes, final: int) -> int:
    """Return the root's child with the highest mean, then the most visits; or the reverse."""
    first = int(nodes[ROOT].first)
    best = first
    for child in range(first + 1, first + int(nodes[ROOT].tried)):
        better_mean = nodes[child].worth - nodes[best].worth
        more_visits = float(nodes[child].visits - nodes[best].visits)
        wins, breaks_tie = better_mean, more_visits
        if final == BY_VISITS:
            wins, breaks_tie = more_visits, better_mean
        if wins > 0.0 or (wins == 0.0 and breaks_tie > 0.0):
            best = child
    return best


@kernel
def conclude(nodes: Nodes, observation: Record, rollouts: int, final: int, thoughts: Record) -> int:
    """Write the value of each action into the thoughts, and return the best action."""
    begin(thoughts)
    thoughts.mixed = 0
    thoughts.rollouts = rollouts
    if observation.bid != NO_BID:
        thoughts.chance = chance_of(observation, int(observation.bid))
    first, tried = int(nodes[ROOT].first), int(nodes[ROOT].tried)
    for child in range(first, first + int(nodes[ROOT].children)):
        node = nodes[child]
        if child < first + tried:
            consider(thoughts, int(node.action), int(node.visits) / rollouts, node.worth)
        else:
            consider(thoughts, int(node.action), 0.0, np.nan)
    return int(nodes[best_child(nodes, final)].action)


@kernel
def decide_mcts(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Grow a tree and choose by it; the ensemble does so only in the Observer's danger phases.

    All three agents share this policy because it is large and slow to compile. The arrays are
    allocated here, not in the functions it calls: in a kernel, a record taken from an array does
    not keep the array alive.
    """
    opponents, phase = int(parameters[STYLE]), NO_PHASE
    observer = OBSERVER.copy()  # a constant has another type, for which all would be compiled again
    if opponents == OBSERVERS_IN_DANGER:
        opponents = OBSERVERS
        weigh_as_observer(observation, whole(observation.viewer), observer, thoughts)
        phase = int(thoughts.phase)
        if phase <= SAFE:
            return choose(thoughts, stream)
    rollouts = int(parameters[ROLLOUTS])
    if rollouts == 0:
        seat, by_seat = whole(observation.viewer), opponents == OBSERVERS
        rollouts = rollout_budget(observation, seat, by_seat, int(parameters[CAP]))
    # A rollout adds one block of children: at most the actions legal here and the few non-bids.
    most = (rollouts + 1) * (action_count(observation) + FIRST_BID_CODE)
    nodes = np.empty(min(most, MAX_NODES), NODE_DTYPE)
    workspace = np.zeros(1, STATE_DTYPE)
    model = Model(np.uint64(parameters[MODEL]), observer, memory, thoughts)
    done = grow(nodes, workspace, observation, opponents, rollouts, parameters, model, stream)
    chosen = conclude(nodes, observation, done, int(parameters[FINAL]), thoughts)
    thoughts.phase = phase
    return chosen


@dataclass(frozen=True)
class MctsRandom(CompiledAgent):
    """Searches its own and the opponents' bids, with random rollouts.

    Its thoughts list every action with the mean of its rollouts; it cannot state probabilities. The
    thesis does not say in which order to try unvisited actions: here the order is random. The
    thesis' limit of 30 seconds is off by default, because it is not needed and makes play depend on
    the machine.
    """

    name = "mcts-random"
    idea = "tree search over the round, with random deals of the others' dice and random rollouts"
    source = "Perudo thesis (Hernandez 2021), sections 4.3.3 and 5.2"
    policy = decide_mcts
    style: ClassVar[int] = RANDOM_OPPONENTS

    c: float = number(2.0, 0.0, 100.0)
    """Exploration constant of UCB."""
    scoring: str = choice("lose", SCORINGS)
    """Rewards for losing a die, no change, and gaining one: -1, 0, 0 or -1, 0, 1 or -10, 0, 1."""
    rollouts: int = number(0, 0, 10_000_000)
    """Number of rollouts; 0: a tenth more than there are different deals, up to the cap."""
    cap: int = number(10_000, 1, 10_000_000)
    """Maximum number of rollouts if it depends on the number of deals."""
    time_limit: float = number(0.0, 0.0, 3600.0)
    """Seconds after which it stops; 0: never. With a limit its play depends on the machine."""
    final: str = choice("mean", FINALS)
    """Choose the action with the highest mean, or with the most visits."""
    pseudo_rolls: str = choice("random", PSEUDO_ROLLS)
    """Method of dealing the others' dice: at random; every deal in turn (weighted by probability;
    at random if there are more deals than rollouts); informed by their bids with a heuristic; or by
    Bayes' rule with the Observer as a model of their bids."""
    belief: float = number(0.5, 0.0, 100.0)
    """Weight that each bid adds to its face in informed pseudo-rolls."""

    @property
    def parameters(self) -> Parameters:
        """The fields as numbers, the agent's style, and the Observer's address."""
        model = number_of(Observer.policy, PERUDO.dtype)
        return np.append(super().parameters, [float(self.style), model])

    @property
    def uses_clock(self) -> bool:  # type: ignore[override]  # known when the agent is made
        """True if there is a time limit."""
        return self.time_limit > 0.0


@dataclass(frozen=True)
class MctsObserver(MctsRandom):
    """Searches only its own bids: the others answer as Observers with the dice dealt to them.

    Each new answer adds one child. Its own moves beyond the tree are random.
    """

    name = "mcts-observer"
    idea = "tree search over the round in which the others are Observers"
    source = "Perudo thesis (Hernandez 2021), sections 4.3.4 and 5.2"
    style = OBSERVERS

    cap: int = number(3_500, 1, 10_000_000)
    """Maximum number of rollouts if it depends on the number of deals."""


@dataclass(frozen=True)
class Ensemble(MctsObserver):
    """Plays as the Observer while the standing bid is safe, else as MctsObserver."""

    name = "ensemble"
    idea = "plays as observer while the bid is safe, and as mcts-observer in danger"
    source = "Perudo thesis (Hernandez 2021), conclusions"
    style = OBSERVERS_IN_DANGER
    phases = PHASES

    cap: int = number(10_000, 1, 10_000_000)
    """Maximum number of rollouts if it depends on the number of deals."""
