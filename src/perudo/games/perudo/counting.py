"""What is counted about the rounds of a match, for the lab's tables."""

from __future__ import annotations

from perudo.games.game import Counters, Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import (
    BID_TOO_HIGH,
    CALZA_RIGHT,
    CALZA_WRONG,
    DUDO_TOO_SOON,
    FINISHED,
    PASS_CAUGHT,
    PASS_DOUBTED_WRONGLY,
)

COUNTERS = (
    "rounds",
    "rounds_lost",
    "dice_lost",
    "dice_gained",
    "lost_by_high_bid",
    "lost_by_early_dudo",
    "lost_by_wrong_calza",
    "lost_by_caught_pass",
    "lost_by_doubting_a_good_pass",
    "lost_with_the_others",
    "dudos",
    "dudos_right",
    "calzas",
    "calzas_right",
    "doubts",
    "doubts_right",
    "dice_left_when_won",
)
(
    ROUNDS,
    ROUNDS_LOST,
    DICE_LOST,
    DICE_GAINED,
    LOST_BY_HIGH_BID,
    LOST_BY_EARLY_DUDO,
    LOST_BY_WRONG_CALZA,
    LOST_BY_CAUGHT_PASS,
    LOST_BY_DOUBTING,
    LOST_WITH_OTHERS,
    DUDOS,
    DUDOS_RIGHT,
    CALZAS,
    CALZAS_RIGHT,
    DOUBTS,
    DOUBTS_RIGHT,
    DICE_LEFT,
) = range(len(COUNTERS))


@kernel
def tally(state: Record, counters: Counters) -> None:
    """Count how the round just settled went for everybody who was in it."""
    reveal = state.reveal
    reason = int(reveal.reason)
    caller, target = int(reveal.caller), int(reveal.target)
    for seat in range(int(state.players)):
        lost = int(reveal.lost[seat])
        if lost > 0 or state.counts[seat] > 0:
            counters[seat, ROUNDS] += 1
        counters[seat, DICE_GAINED] += int(reveal.gained[seat])
        if lost > 0:
            counters[seat, ROUNDS_LOST] += 1
            counters[seat, DICE_LOST] += lost
            counters[seat, loss_counter(reason, seat == caller, seat == target)] += 1
    if reason == BID_TOO_HIGH or reason == DUDO_TOO_SOON:
        counters[caller, DUDOS] += 1
        counters[caller, DUDOS_RIGHT] += reason == BID_TOO_HIGH
    elif reason == CALZA_RIGHT or reason == CALZA_WRONG:
        counters[caller, CALZAS] += 1
        counters[caller, CALZAS_RIGHT] += reason == CALZA_RIGHT
    else:
        counters[caller, DOUBTS] += 1
        counters[caller, DOUBTS_RIGHT] += reason == PASS_CAUGHT
    if state.phase == FINISHED and not state.rules.single_round:
        counters[state.winner, DICE_LEFT] += int(state.counts[state.winner])


@kernel
def loss_counter(reason: int, is_caller: bool, is_target: bool) -> int:
    """Why a seat lost dice."""
    if reason == BID_TOO_HIGH and is_target:
        return LOST_BY_HIGH_BID
    if reason == DUDO_TOO_SOON and is_caller:
        return LOST_BY_EARLY_DUDO
    if reason == CALZA_WRONG:
        return LOST_BY_WRONG_CALZA
    if reason == PASS_CAUGHT:
        return LOST_BY_CAUGHT_PASS
    if reason == PASS_DOUBTED_WRONGLY:
        return LOST_BY_DOUBTING
    return LOST_WITH_OTHERS
