"""Search: rollouts of every move, with beliefs about the others' hands and models.

Each deal draws the others' models and hands by how well they explain the bids. All moves are tried
on the same deals, and played out by the models to the end of the round, which is valued for the
match. The policy is the champion's own model, tilted towards the better moves: by a softmax of
their values, in units of a die's value.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from perudo.agents.champion.features import (
    SUPPORT,
    Codes,
    backing_of,
    believed,
    supporters,
)
from perudo.agents.champion.match_worth import SIZE, Worth, worth_after_loss, worth_to
from perudo.agents.champion.player_models import (
    MODEL_COUNT,
    MODELS,
    OWN,
    POLICIES_BEGIN,
    POLICIES_END,
    WEIGHT_COUNT,
    PlayerModels,
    judge_as,
    network_of,
    new_room,
    play_as,
    weigh_hands,
    work_out,
)
from perudo.agents.champion.two_player_book import consult
from perudo.agents.table_facts import NO_BID, ways
from perudo.games.chance import Stream, draw, whole
from perudo.games.game import (
    OVER,
    Record,
    actor,
    apply,
    copy,
    hand_count,
    put_hand,
    round_over,
    workspace,
)
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    FIRST_BID_CODE,
    NOBODY,
    PASS,
    face_of,
    quantity_of,
)
from perudo.games.perudo.reveal import matching
from perudo.games.policy import Memory, Parameters, begin, choose, consider
from perudo.search.files.book import reals_at
from perudo.search.online.beliefs import Shares

WORTH, ROLLOUTS, TEMPERATURE, FOR_MATCH, ADAPT, BOOK_ONLY, BOOK_AT = range(
    POLICIES_END, POLICIES_END + 7
)
"""Indices of the parameters after the models: an address, the champion's own, the book's first."""
PHASES = (
    "fewer dice than that are likely",
    "a call now and then keeps bidders honest",
    "exactly as many are likely",
    "a bid that should hold",
    "a bid that may hold, to put the next player on the spot",
    "a bluff",
    "a pass",
    "nothing to claim",
)
"""Reasons for a move."""
DOUBTING, CHECKING, CLAIMING, HOLDING, PUSHING, BLUFFING, PASSING, DECLINING = range(len(PHASES))
CHECK_CHANCE, HOLD_CHANCE, PUSH_CHANCE = 0.5, 0.6, 0.35
"""Probabilities above which calling a bid is a check, a bid should hold, and a bid may hold."""
DEALS_PER_BATCH = 16
"""Deals between two checks for moves to drop."""
DROP_STANDARD_ERRORS = 3.0
"""A move is dropped when its mean is below the best by more than this many standard errors."""
MOVES_PER_ROUND = 5
"""Budgeted moves of a playout: where rounds are longer, there are fewer playouts."""
LARGE_TABLE, LARGE_TABLE_TEMPERATURE = 4, 3.0
"""Number of players above which the temperature is higher, and the factor: with more moves and in
longer rounds, values are less certain."""
EXTRA_PRIOR = 0.01
"""Probability added to each move's prior, so that none is ruled out beforehand."""
MIN_STAKE = 0.005
STRONG = ("pomcp-pgt-ucb", "pomcp-pgt-rm", "champion")
WEAKER = np.array([name.partition(":")[0] not in STRONG for name in MODELS])
"""True for each model that plays much worse than the champion (``perudo ladder``)."""
PRIOR_WEAKER = float(WEAKER.mean())
"""Prior probability that an unknown opponent is weaker than the champion."""
PREMIUM = 0.5
"""Extra value of a die lost by a weaker player, as a fraction of the value of an own die."""
MIN_LIKELIHOOD = 1e-3
"""Models less likely than this, relative to the likeliest, are left out."""
EXPLOIT_LOG_LIKELIHOOD = -6.0
"""The champion does not use the book against a last opponent for whom the log-likelihood of its own
model is this far below the best: searching exploits the opponent."""


class Aim(NamedTuple):
    """The value of a position after a round."""

    worth: Worth  # (SIZE,): the chance to win the match, see ``match_worth``
    for_match: bool  # else the share of the dice
    premiums: Shares  # (players,): added for each die that a seat has lost


class Moves(NamedTuple):
    """The moves of a decision."""

    codes: Codes  # (moves,)
    prior: Shares  # (moves,): the champion's usual chances
    means: Shares  # (moves,): mean value of the playouts, with premiums
    worths: Shares  # (moves,): and without


@kernel
def play_out(
    models: PlayerModels, as_model: Codes, state: Record, said: int, stream: Stream
) -> int:
    """Make a move and play the round out, each seat by its model; returns the number of moves."""
    steps = 0
    while True:
        steps += 1
        apply(state, said)
        if round_over(state) or actor(state) == OVER:
            return steps
        who = whole(actor(state))
        said = play_as(models, as_model[who], state, who, stream)


@kernel
def try_moves(
    states: Record,
    seat: int,
    models: PlayerModels,
    shares: Shares,
    aim: Aim,
    moves: Moves,
    wanted: int,
    stream: Stream,
) -> int:
    """Play out moves from ``states[0]``; returns the number of playouts."""
    worth, for_match, premiums = aim
    codes, _, means, worths = moves
    count = codes.size
    dealt, state = states[1], states[2]
    players = whole(states[0].players)
    hands = shares.shape[1] // MODEL_COUNT
    as_model = np.full(players, OWN, np.int64)
    squares, tried, errors = np.zeros(count), np.zeros(count), np.zeros(count)
    given_up = np.zeros(count, np.bool_)
    done, steps, open_moves = 0, 0, count
    while done < wanted and steps < MOVES_PER_ROUND * wanted and open_moves > 1:
        for _ in range(DEALS_PER_BATCH):
            copy(dealt, states[0])
            for other in range(players):
                if other != seat and dealt.counts[other] > 0:
                    place = draw(shares[other], stream)
                    as_model[other] = place // hands
                    put_hand(dealt, other, place % hands)
            for place in range(count):
                if given_up[place]:
                    continue
                copy(state, dealt)
                said = int(codes[place])
                steps += play_out(models, as_model, state, said, stream)
                if for_match:
                    value = worth_to(state, worth, seat)
                else:
                    value = float(state.counts[seat]) / float(state.total)
                tried[place] += 1.0
                worths[place] += (value - worths[place]) / tried[place]
                for other in range(players):
                    if state.counts[other] < dealt.counts[other]:
                        value += premiums[other]
                change = value - means[place]
                means[place] += change / tried[place]
                squares[place] += change * (value - means[place])
                done += 1
        best = -1
        for place in range(count):
            errors[place] = math.sqrt(squares[place] / (tried[place] - 1.0) / tried[place])
            if not given_up[place] and (best < 0 or means[place] > means[best]):
                best = place
        for place in range(count):
            doubt = math.sqrt(errors[place] ** 2 + errors[best] ** 2)
            if not given_up[place] and means[place] < means[best] - DROP_STANDARD_ERRORS * doubt:
                given_up[place] = True
                open_moves -= 1
    return done


@kernel
def holds(observation: Record, seat: int, bid: int) -> float:
    """Return the probability that a bid holds, by the own dice and the others' bids on its face."""
    face = face_of(bid)
    known = matching(observation.hands[seat], face, int(observation.wild_face))
    backed = known + SUPPORT * backing_of(supporters(observation, seat), face)
    unseen = int(observation.total) - int(observation.counts[seat])
    return believed(unseen, quantity_of(bid) - backed, ways(observation, face))


@kernel
def reason_for(observation: Record, seat: int, said: int) -> int:
    """Return the reason for a move: an index of PHASES."""
    if said < FIRST_BID_CODE:
        if said == CALZA:
            return CLAIMING
        if said == PASS:
            return PASSING
        if said == DECLINE:
            return DECLINING
        checking = (
            observation.passer == NOBODY
            and holds(observation, seat, observation.bid) > CHECK_CHANCE
        )
        return CHECKING if checking else DOUBTING
    chance = holds(observation, seat, said)
    return HOLDING if chance >= HOLD_CHANCE else (PUSHING if chance >= PUSH_CHANCE else BLUFFING)


@kernel
def conclude(observation: Record, seat: int, stream: Stream, thoughts: Record) -> int:
    """Draw a move from the mixture, and note the reason."""
    said = choose(thoughts, stream)
    thoughts.phase = reason_for(observation, seat, said)
    if observation.bid != NO_BID and observation.passer == NOBODY:
        thoughts.chance = holds(observation, seat, int(observation.bid))
    return said


@kernel
def is_exploitable(observation: Record, seat: int, memory: Memory, adapt: float) -> bool:
    """Return True if the only opponent left is known to play by another model."""
    for other in range(whole(observation.players)):
        if other != seat and observation.counts[other] > 0:
            return bool(adapt * memory[other, OWN] <= EXPLOIT_LOG_LIKELIHOOD)
    return False


@kernel
def weigh_models(adapt: float, memory: Memory, prior: Shares) -> None:
    """Compute the weight of each model for each seat, from memory; equal where nothing is known."""
    for other in range(prior.shape[0]):
        best = -np.inf
        for model in range(MODEL_COUNT):
            best = max(best, adapt * memory[other, model])
        for model in range(MODEL_COUNT):
            prior[other, model] = math.exp(adapt * memory[other, model] - best)
            if prior[other, model] < MIN_LIKELIHOOD:
                prior[other, model] = 0.0


@kernel
def set_premiums(observation: Record, seat: int, of_models: Shares, stake: float, aim: Aim) -> None:
    """Compute the extra value of dice lost by players that seem to be weaker.

    By match values alone it is best to hit the leader. But if all at a table do that, they spare
    the players who are behind, and a weak player survives longer among strong ones than it should.
    So the dice of weaker players are worth more, however many they have left.
    """
    premiums, worth, total = aim.premiums, aim.worth, 0.0
    for other in range(premiums.size):
        if other != seat and observation.counts[other] > 0:
            total += worth_after_loss(observation, worth, seat, other)
    wanted = total / (float(observation.live) - 1.0) + PREMIUM * stake
    for other in range(premiums.size):
        if other != seat and observation.counts[other] > 0:
            weaker = (of_models[other] * WEAKER).sum() / of_models[other].sum()
            found = max(weaker - PRIOR_WEAKER, 0.0) / (1.0 - PRIOR_WEAKER)
            less = wanted - worth_after_loss(observation, worth, seat, other)
            premiums[other] = found * max(less, 0.0)


@kernel
def list_moves(observation: Record, seat: int, models: PlayerModels) -> Moves:
    """List the moves to try, with the champion's usual chances."""
    room = models.room
    count = work_out(observation, seat, models.network, room)
    judge_as(models.network, OWN, count, room)
    codes, prior = room.codes[:count].copy(), room.chances[:count].copy()
    return Moves(codes, prior, np.zeros(count), np.zeros(count))


@kernel
def decide_champion(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Form beliefs, try the moves, mix them, and draw one."""
    seat, players = whole(observation.viewer), whole(observation.players)
    begin(thoughts)
    if observation.live == 2 and not is_exploitable(observation, seat, memory, parameters[ADAPT]):
        if consult(observation, parameters[BOOK_AT:], thoughts):
            return conclude(observation, seat, stream, thoughts)
    network = network_of(parameters[:WEIGHT_COUNT].astype(np.float32))
    asked = parameters[POLICIES_BEGIN:POLICIES_END]
    models = PlayerModels(network, asked, new_room(), thoughts)
    worth = reals_at(parameters[WORTH], SIZE)
    moves = list_moves(observation, seat, models)
    count, means = moves.codes.size, moves.means
    begin(thoughts)
    if count == 1:
        consider(thoughts, int(moves.codes[0]), 1.0, np.nan)
        return conclude(observation, seat, stream, thoughts)
    states = workspace(observation, 3)
    most = 1
    for other in range(players):
        most = max(most, hand_count(observation, other))
    shares, of_models = np.zeros((players, MODEL_COUNT * most)), np.zeros((players, MODEL_COUNT))
    weigh_models(parameters[ADAPT], memory, of_models)
    weigh_hands(states, observation, seat, models, of_models, stream, shares)
    copy(states[0], observation)
    here = worth_to(observation, worth, seat)
    stake = max(here - worth_after_loss(observation, worth, seat, seat), MIN_STAKE)
    aim = Aim(worth, parameters[FOR_MATCH] > 0.0, np.zeros(players))
    if observation.live > 2 and aim.for_match:
        set_premiums(observation, seat, of_models, stake, aim)
    wanted = int(parameters[ROLLOUTS])
    done = try_moves(states, seat, models, shares, aim, moves, wanted, stream)
    best = 0
    for place in range(1, count):
        if means[place] > means[best]:
            best = place
    total = 0.0
    mixture = np.zeros(count)
    temperature = parameters[TEMPERATURE] * (
        LARGE_TABLE_TEMPERATURE if observation.live > LARGE_TABLE else 1.0
    )
    for place in range(count):
        behind = (means[place] - means[best]) / stake
        mixture[place] = (moves.prior[place] + EXTRA_PRIOR) * math.exp(behind / temperature)
        total += mixture[place]
    begin(thoughts)
    thoughts.rollouts = done
    for place in range(count):
        consider(thoughts, int(moves.codes[place]), mixture[place] / total, moves.worths[place])
    return conclude(observation, seat, stream, thoughts)
