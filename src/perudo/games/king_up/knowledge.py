"""Knowledge of the seats: observations, information keys, redeals."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import Stream, below, combine
from perudo.games.kernel import kernel
from perudo.games.king_up.layout import AWAITING_DEAL, FINISHED, NO, YES, deck_size, free_card
from perudo.games.king_up.play import round_over
from perudo.games.operations import Record


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank the others' target cards and pending votes, unless the round has been scored."""
    state.viewer = seat
    if round_over(state):
        return
    for other in range(int(state.players)):
        if other != seat:
            state.cards[other] = 0
            state.votes[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """Return a hash of the public history, the number of votes, and the seat's card and vote."""
    card, vote = 0, 0
    if seat >= 0:
        card, vote = int(state.cards[seat]), int(state.votes[seat])
    key = combine(np.uint64(state.public_key), int(state.stage) * 8 + int(state.voted))
    return combine(combine(key, (seat + 2) * 4 + vote), card)


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Sample the others' target cards, from those that the seat does not hold, and pending votes.

    Each vote that a voter could have cast is equally likely.
    """
    if int(state.stage) in (AWAITING_DEAL, FINISHED):
        return
    players = int(state.players)
    for other in range(players):
        if other != seat:
            state.cards[other] = 0
    rest = deck_size(state) - (1 if seat >= 0 else 0)
    for other in range(players):
        if other != seat:
            state.cards[other] = free_card(state, int(below(stream, rest)))
            rest -= 1
            if other < state.voted:
                may_reject = state.vote_cards[other] > 0
                state.votes[other] = NO if may_reject and below(stream, 2) == 1 else YES
