"""The effects of actions, and the payoffs of rounds and matches (docs/rules.md, parts 4-7, 10)."""

from __future__ import annotations

from perudo.games.chance import Stream, advance, below, mix, scale
from perudo.games.kernel import inlined, kernel
from perudo.games.operations import CHANCE, MATCH, OVER, Record
from perudo.games.perudo.bidding import (
    ACE,
    PLAIN_FACES,
    ace_rank,
    first_claimant,
    largest_quantity,
    lowest_ace_bid,
    lowest_aces_over,
    lowest_step,
    lowest_step_over,
    step,
)
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
    bid_code,
    face_of,
    next_live,
)
from perudo.games.perudo.offer import action, action_count, ladder_bid, make_offer
from perudo.games.perudo.reveal import settle_calza, settle_dudo, settle_pass
from perudo.games.perudo.rolling import start_palafico
from perudo.games.perudo.rules import ANY_FACE, FACES, TURN_ONLY


@kernel
def actor(state: Record) -> int:
    """Return the seat to act, or CHANCE before a roll, or OVER."""
    if state.phase == BIDDING:
        return int(state.pending) if state.pending != NOBODY else int(state.turn)
    return CHANCE if state.phase == AWAITING_DEAL else OVER


@kernel
def remember(state: Record, action: int) -> None:
    """Append a bid or a pass to the round's history."""
    state.history[state.actions] = (int(state.turn) << HISTORY_SEAT_SHIFT) | action
    state.actions += 1


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


@inlined
def finish_round_randomly(state: Record, stream: Stream) -> int:
    """Play uniformly random legal actions to the end of the round; return their number.

    In rounds with only higher bids, dudo and calza by the turn player, the standing bid and the
    turn stay in registers until the round ends; playing action by action gives the same result.
    """
    if state.phase == BIDDING and state.live == state.players:
        if state.plain_round:
            return finish_plain_round(state, stream)
        if only_bids_and_calls(state):
            return finish_round_of_bids(state, stream)
    made = 0
    while state.phase == BIDDING:
        apply(state, action(state, below(stream, action_count(state))))
        made += 1
    return made


@inlined
def finish_plain_round(state: Record, stream: Stream) -> int:
    """Play random bids on one ladder, until dudo; return the number of actions."""
    players = int(state.players)
    turn = int(state.turn)
    bidder = int(state.bidder)
    actions = int(state.actions)
    faces = FACES if state.plain_round == FACES else PLAIN_FACES
    end = (largest_quantity(state) + 1) * faces
    first = int(state.offer.step_shift)
    bid, plain_bid = int(state.bid), int(state.plain_bid)
    word = stream[0]
    choices = end - first + (1 if bid else 0)
    bids = end - first
    while True:
        word = advance(word)
        index = scale(mix(word), choices)
        if index >= bids:
            break
        bid = ladder_bid(end - bids + index, faces)
        plain_bid = bid if face_of(bid) != ACE else plain_bid
        state.history[actions] = (turn << HISTORY_SEAT_SHIFT) | bid
        actions += 1
        bidder = turn
        turn = turn + 1 if turn + 1 < players else 0
        choices = bids - index
        bids = choices - 1
    stream[0] = word
    made = actions - int(state.actions) + 1
    state.turn = turn
    state.bidder = bidder
    state.actions = actions
    state.bid = bid
    state.plain_bid = plain_bid
    settle_dudo(state)
    return made


@kernel
def only_bids_and_calls(state: Record) -> bool:
    """Return true if the round has only higher bids, dudo, and perhaps calza by the turn player."""
    rules = state.rules
    return bool(
        rules.raise_rule == ANY_FACE
        and not rules.enable_pass
        and state.palafico == NOBODY
        and state.palafico_due == NOBODY
        and (not rules.calza or rules.calza_who == TURN_ONLY)
    )


@inlined
def finish_round_of_bids(state: Record, stream: Stream) -> int:
    """Play random bids on ones and on a ladder of the other faces, until dudo or calza.

    Return the number of actions.
    """
    players = int(state.players)
    turn = int(state.turn)
    bidder = int(state.bidder)
    actions = int(state.actions)
    rank, plus_one = ace_rank(state), int(state.rules.ace_exit_plus_one)
    cap = largest_quantity(state)
    end = step(cap, FACES) + 1
    bid, plain_bid = int(state.bid), int(state.plain_bid)
    aces_from, first = lowest_ace_bid(state), lowest_step(state)
    may_calza = state.rules.calza and (state.live != 2 or state.rules.calza_two_players)
    calls = 2 if may_calza else 1
    words = calls if bid else 0
    word = stream[0]
    while True:
        aces = max(cap - aces_from + 1, 0)
        bids = aces + max(end - first, 0)
        word = advance(word)
        index = scale(mix(word), bids + words)
        if index >= bids:
            break
        if index < aces:
            bid = bid_code(aces_from + index, ACE)
        else:
            bid = ladder_bid(first + index - aces, PLAIN_FACES)
            plain_bid = bid
        state.history[actions] = (turn << HISTORY_SEAT_SHIFT) | bid
        actions += 1
        bidder = turn
        turn = turn + 1 if turn + 1 < players else 0
        aces_from = lowest_aces_over(bid, rank)
        first = lowest_step_over(bid, plain_bid, rank, plus_one)
        words = calls
    stream[0] = word
    made = actions - int(state.actions) + 1
    state.turn = turn
    state.bidder = bidder
    state.actions = actions
    state.bid = bid
    state.plain_bid = plain_bid
    if index == bids:
        settle_dudo(state)
    else:
        settle_calza(state, turn)
    return made


@kernel
def round_over(state: Record) -> bool:
    """Return true if a round has been settled and the next has not been dealt."""
    return bool(state.phase != BIDDING and state.round_number > 0)


@kernel
def payoff(state: Record, horizon: int, seat: int) -> float:
    """Return a seat's payoff of the match or the round (10.1).

    A match pays 1 to the winner, and the others share -1. In a round each lost die costs 1, which
    the other seats share. Both are zero-sum; a right calza pays 0.
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
