"""Going back: to the first move of a round, and from a settled round to what the match keeps."""

from __future__ import annotations

from perudo.games.game import ARRIVED, Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    DECLINE,
    NOBODY,
    PALAFICO,
    history_action,
)
from perudo.games.perudo.offer import make_offer
from perudo.games.perudo.reveal import clear_reveal
from perudo.games.perudo.rolling import clear_table, usual_wild_face
from perudo.games.perudo.rules import MAX_PLAYERS, PALAFICO_DECLARED, PALAFICO_OFF


@kernel
def clear_history(state: Record) -> None:
    """Forget the moves of the round."""
    for index in range(int(state.actions)):
        state.history[index] = 0
    state.actions = 0


@kernel
def rewind(state: Record) -> bool:
    """Back to the round's first decision.

    Whether a palafico could have been declared is known only if it was: a round in which the
    opener let the chance go by is rewound to one without it.
    """
    clear_history(state)
    clear_table(state)
    if state.rules.palafico == PALAFICO_DECLARED and state.palafico != NOBODY:
        state.palafico_due = state.palafico
        state.palafico = NOBODY
        state.wild_face = usual_wild_face(state)
    make_offer(state)
    return True


@kernel
def move_towards(state: Record, target: Record) -> int:
    """The next move on the way.

    The history does not tell of a declared palafico, nor of claims of calza that were declined.
    """
    on_the_way = state.actions < target.actions
    if state.pending != NOBODY and (on_the_way or state.pending != target.pending):
        return DECLINE
    if state.palafico != target.palafico:
        return PALAFICO
    return history_action(target.history[state.actions]) if on_the_way else ARRIVED


@kernel
def forget_round(state: Record) -> None:
    """Keep dice, opener and palafico: what a match is resumed from."""
    clear_history(state)
    clear_reveal(state)
    reveal = state.reveal
    reveal.reason = 0
    reveal.caller = 0
    reveal.target = 0
    reveal.count = 0
    reveal.bid = 0
    clear_table(state)
    state.turn = NOBODY
    state.palafico = NOBODY
    state.plain_round = 0
    state.wild_face = 0
    state.round_number = 0
    if state.rules.palafico == PALAFICO_OFF:
        state.been_palafico = 0
    for seat in range(MAX_PLAYERS):
        state.hands[seat] = 0
