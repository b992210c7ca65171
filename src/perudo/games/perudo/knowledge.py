"""Who knows what: observations, information keys, and dealing again what a seat cannot see."""

from __future__ import annotations

import numpy as np

from perudo.games.chance import Stream, combine, extend, next_word, whole
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.rolling import roll


@kernel
def observe(state: Record, seat: int) -> None:
    """Blank every hand but the viewer's own. All else in the record is public."""
    state.viewer = seat
    for other in range(int(state.players)):
        if other != seat:
            state.hands[other] = 0


@kernel
def information_key(state: Record, seat: int) -> np.uint64:
    """A hash of the round's history, the match around it, who is asked, and the seat's own dice."""
    dice = 0
    for other in range(int(state.players)):
        dice = dice * 16 + int(state.counts[other])
    key = np.uint64(0)
    for index in range(int(state.actions)):
        key = extend(key, int(state.history[index]))
    key = combine(key, dice)
    key = combine(key, int(state.been_palafico) * 16 + int(state.opener))
    key = combine(key, int(state.palafico) * 16 + int(state.palafico_due) + 17)
    key = combine(key, (seat + 2) * 16 + int(state.pending) + 1)
    return combine(key, whole(state.hands[seat]) if seat >= 0 else 0)  # a spectator has no dice


@kernel
def redeal(state: Record, seat: int, stream: Stream) -> None:
    """Roll the cups of all others again: nothing a seat sees during a round says more of them."""
    for other in range(int(state.players)):
        if other != seat:
            state.hands[other] = roll(next_word(stream), other, int(state.counts[other]))
