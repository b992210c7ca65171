"""What an action does, and what a round or a match is worth (docs/rules.md, parts 4-7 and 10)."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import Stream, advance, below, extend, mix, scale
from perudo.games.game import CHANCE, MATCH, OVER, Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import ACE, PLAIN_FACES, first_claimant, largest_quantity
from perudo.games.perudo.layout import (
    AWAITING_DEAL,
    BIDDING,
    CALZA,
    DECLINE,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    HISTORY_SEAT_SHIFT,
    NOBODY,
    PALAFICO,
    PASS,
    face_of,
    next_live,
)
from perudo.games.perudo.offer import action, action_count, ladder_bid, make_offer
from perudo.games.perudo.reveal import settle_calza, settle_dudo, settle_pass
from perudo.games.perudo.rolling import start_palafico
from perudo.games.perudo.rules import (
    FACES,
)


@kernel
def actor(state: Record) -> int:
    """The seat to act, or CHANCE before a roll, or OVER."""
    if state.phase == BIDDING:
        return int(state.pending) if state.pending != NOBODY else int(state.turn)
    return CHANCE if state.phase == AWAITING_DEAL else OVER


@kernel
def remember(state: Record, action: int) -> None:
    """Write a bid or a pass into the round's history and its public hash."""
    state.history[state.actions] = (int(state.turn) << HISTORY_SEAT_SHIFT) | action
    state.actions += 1
    state.public_key = extend(np.uint64(state.public_key), action)


@kernel
def apply(state: Record, action: int) -> None:
    """Play a legal action."""
    if action >= FIRST_BID_CODE:
        remember(state, action)
        state.bid = action
        if face_of(action) != ACE:
            state.plain_bid = action
        state.bidder = state.turn
        state.passer = NOBODY
        state.turn = next_live(state, state.turn)
        if not state.plain_round:
            state.palafico_due = NOBODY  # too late to declare it now
            state.pending = first_claimant(state, state.bidder)
        make_offer(state)
    elif action == DUDO:
        settle_dudo(state)
    elif action == CALZA:
        settle_calza(state, actor(state))
    elif action == PASS:
        remember(state, PASS)
        state.palafico_due = NOBODY
        state.passed |= 1 << int(state.turn)
        state.passer = state.turn
        state.turn = next_live(state, state.turn)
        if state.rules.calza_after_pass and state.bid != 0:
            state.pending = first_claimant(state, state.bidder)
        make_offer(state)
    elif action == DOUBT:
        settle_pass(state)
    elif action == DECLINE:
        state.pending = first_claimant(state, state.pending)
        make_offer(state)
    elif action == PALAFICO:
        start_palafico(state)
        make_offer(state)
        state.public_key = extend(np.uint64(state.public_key), PALAFICO)


@kernel
def finish_round_randomly(state: Record, stream: Stream) -> int:
    """Uniform random legal actions to the end of the round; returns how many there were.

    In a plain round the standing bid and the turn stay in registers until somebody doubts; draws
    and outcome are the same as action by action.
    """
    made = 0
    if state.plain_round and state.phase == BIDDING and state.live == state.players:
        players = int(state.players)
        turn = int(state.turn)
        bidder = int(state.bidder)
        actions = int(state.actions)
        key = np.uint64(state.public_key)
        faces = FACES if state.plain_round == FACES else PLAIN_FACES
        end = (largest_quantity(state) + 1) * faces
        first = int(state.offer.step_shift)
        bid, plain_bid = int(state.bid), int(state.plain_bid)
        doubt = 1 if bid else 0
        word = stream[0]
        while True:
            bids = end - first
            word = advance(word)
            index = scale(mix(word), bids + doubt)
            if index >= bids:
                break
            bid = ladder_bid(first + index, faces)
            plain_bid = bid if face_of(bid) != ACE else plain_bid
            state.history[actions] = (turn << HISTORY_SEAT_SHIFT) | bid
            actions += 1
            key = extend(key, bid)
            bidder = turn
            turn = turn + 1 if turn + 1 < players else 0
            first += index + 1
            doubt = 1
        stream[0] = word
        made = actions - int(state.actions) + 1
        state.turn = turn
        state.bidder = bidder
        state.actions = actions
        state.public_key = key
        state.bid = bid
        state.plain_bid = plain_bid
        settle_dudo(state)
        return made
    while state.phase == BIDDING:
        apply(state, action(state, below(stream, action_count(state))))
        made += 1
    return made


@kernel
def round_over(state: Record) -> bool:
    """Whether a round has been settled and the next not been dealt."""
    return bool(state.phase != BIDDING and state.round_number > 0)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """What the match or the round is worth to a seat (10.1).

    Match: 1 to the winner, the others share -1. Round: each die lost costs 1, which the others
    share. Both are zero-sum; a right calza is worth 0.
    """
    if horizon == MATCH:
        if state.winner == seat:
            return 1.0
        return -1.0 / (int(state.players) - 1)
    lost, seats = 0, 0
    for other in range(int(state.players)):
        lost += state.reveal.lost[other]
        if state.reveal.lost[other] > 0 or state.counts[other] > 0:
            seats += 1
    own = int(state.reveal.lost[seat])
    if own == 0 and state.counts[seat] == 0:
        return 0.0
    return (int(lost) - own) / (seats - 1) - own
