"""The legality of actions (docs/rules.md, parts 2, 3 and 5-7).

The legal quantities of each face form one range, so actions can be counted, and the n-th found,
without listing them.
"""

from __future__ import annotations

from perudo.games.kernel import kernel
from perudo.games.operations import Record
from perudo.games.perudo.layout import (
    BIDDING,
    CALZA,
    DECLINE,
    DOUBT,
    DUDO,
    FIRST_BID_CODE,
    NOBODY,
    PALAFICO,
    PASS,
    face_of,
    quantity_of,
)
from perudo.games.perudo.rules import (
    ABOVE_DOUBLE,
    ACE_OPENING_PALAFICO,
    ACE_OPENING_YES,
    ALREADY_PALAFICO_CHANGES,
    ANY_BUT_NEXT,
    ANY_FACE,
    BELOW_DOUBLE,
    FACES,
    LEXICOGRAPHIC,
    LOWEST,
    MAX_QUANTITY,
    NOT_BIDDABLE,
    ONE_DIE_CHANGES,
    ONE_OF_TWO,
    TURN_ONLY,
)

ACE = 1
FIRST_PLAIN_FACE = 2
PLAIN_FACES = FACES - 1
FIRST_STEP = PLAIN_FACES
"""The step of the lowest bid, 1x2."""
NO_QUANTITY = MAX_QUANTITY + 1
"""A lowest quantity that means that none is legal."""
PASS_DICE = 5
"""The exact number of dice that a player needs to pass (7.2)."""

REASONS: dict[str, str] = {
    "match_over": "the match is over",
    "dice_not_rolled": "the dice have not been rolled",
    "unknown_action": "there is no such action",
    "quantity_out_of_range": "the quantity is 1 to {cap}",
    "aces_not_biddable": "ones cannot be bid under these rules",
    "ace_opening": "a round cannot be opened on ones here",
    "face_fixed": "the face is fixed in this palafico round",
    "not_higher": "it is not higher than the standing {bid}",
    "raise_one_of_two": "a raise of {bid} cannot change quantity and face like that",
    "only_calza_or_decline": "seat {actor} can only claim calza or decline now",
    "no_bid_to_doubt": "there is no bid to doubt",
    "doubt_the_pass": "after a pass only the pass can be doubted",
    "calza_off": "these rules have no calza",
    "calza_needs_bid": "there is no bid to claim calza on",
    "calza_own_bid": "you cannot claim calza on your own bid",
    "calza_not_next": "the player after the bidder may not claim calza",
    "calza_palafico": "there is no calza in a palafico round",
    "calza_two_players": "there is no calza with two players left",
    "calza_after_pass": "there is no calza right after a pass",
    "pass_off": "these rules do not allow passing",
    "pass_needs_five_dice": "passing needs exactly five dice",
    "pass_once": "you can pass only once a round",
    "pass_on_opening": "the opener may not pass",
    "pass_after_pass": "a pass may not follow a pass",
    "pass_palafico": "there is no passing in a palafico round",
    "no_pass_to_doubt": "there is no pass to doubt",
    "palafico_not_yours": "only a player newly down to one die may declare palafico, and only as "
    "the round's first act",
    "nothing_to_decline": "there is no calza to decline; act on your turn",
}
"""The reasons for refusing an action: stable codes and their messages."""
REFUSALS = ("legal", *REASONS)
"""The codes, indexed by the result of ``refusal``."""
(
    LEGAL,
    MATCH_OVER,
    DICE_NOT_ROLLED,
    UNKNOWN_ACTION,
    QUANTITY_OUT_OF_RANGE,
    ACES_NOT_BIDDABLE,
    ACE_OPENING,
    FACE_FIXED,
    NOT_HIGHER,
    RAISE_ONE_OF_TWO,
    ONLY_CALZA_OR_DECLINE,
    NO_BID_TO_DOUBT,
    DOUBT_THE_PASS,
    CALZA_OFF,
    CALZA_NEEDS_BID,
    CALZA_OWN_BID,
    CALZA_NOT_NEXT,
    CALZA_PALAFICO,
    CALZA_TWO_PLAYERS,
    CALZA_AFTER_PASS,
    PASS_OFF,
    PASS_NEEDS_FIVE_DICE,
    PASS_ONCE,
    PASS_ON_OPENING,
    PASS_AFTER_PASS,
    PASS_PALAFICO,
    NO_PASS_TO_DOUBT,
    PALAFICO_NOT_YOURS,
    NOTHING_TO_DECLINE,
) = range(len(REFUSALS))


@kernel
def largest_quantity(state: Record) -> int:
    """Return the largest quantity that can be bid (2.4)."""
    return int(state.total) if state.rules.cap_bids_at_total else MAX_QUANTITY


@kernel
def ace_rank(state: Record) -> int:
    """Return the rank of ones in this round, which may differ while nothing is wild (5.8)."""
    rank = int(state.rules.ace_rank)
    if state.wild_face == 0 and rank < LOWEST and state.rules.nonwild_order == LEXICOGRAPHIC:
        return LOWEST
    return rank


@kernel
def may_change_face(state: Record) -> bool:
    """Return true if the turn player may change the face (5.4-5.6)."""
    seat = state.turn
    if state.palafico == NOBODY:
        return True
    if seat == state.palafico:
        return bool(state.rules.palafico_owner_may_change)
    if state.counts[seat] != 1:
        return False
    if state.rules.palafico_face_change == ONE_DIE_CHANGES:
        return True
    if state.rules.palafico_face_change == ALREADY_PALAFICO_CHANGES:
        return (int(state.been_palafico) >> int(seat)) & 1 == 1
    return False


@kernel
def may_open_on_aces(state: Record) -> bool:
    """Return true if the turn player may open the round on ones (3.2, 5.3)."""
    if state.rules.ace_opening == ACE_OPENING_YES:
        return True
    return bool(state.rules.ace_opening == ACE_OPENING_PALAFICO and state.palafico == state.turn)


@kernel
def step(quantity: int, face: int) -> int:
    """Return the rank of a bid on faces 2 to 6, ordered by quantity, then face."""
    return quantity * PLAIN_FACES + face - FIRST_PLAIN_FACE


@kernel
def any_higher_bid(state: Record) -> bool:
    """Return true if every higher bid is legal: neither the face nor the raise is restricted."""
    if state.rules.raise_rule != ANY_FACE and state.bid != 0:
        return False
    return bool(state.palafico == NOBODY or may_change_face(state))


@kernel
def lowest_ace_bid(state: Record) -> int:
    """Return the lowest legal quantity of ones if any higher bid is legal (part 3)."""
    rank = ace_rank(state)
    if state.bid == 0:
        return 1 if rank != NOT_BIDDABLE and may_open_on_aces(state) else NO_QUANTITY
    return lowest_aces_over(int(state.bid), rank)


@kernel
def lowest_aces_over(bid: int, rank: int) -> int:
    """Return the lowest quantity of ones that is higher than a bid (3.1, 3.3)."""
    quantity = quantity_of(bid)
    if rank == NOT_BIDDABLE:
        return NO_QUANTITY
    if face_of(bid) == ACE or rank == LOWEST:
        return quantity + 1
    return (quantity + 1) >> 1 if rank == ABOVE_DOUBLE else (quantity >> 1) + 1


@kernel
def lowest_step(state: Record) -> int:
    """Return the lowest legal step if any higher bid is legal; all steps above are legal too."""
    if state.bid == 0:
        return FIRST_STEP
    return lowest_step_over(
        int(state.bid), int(state.plain_bid), ace_rank(state), int(state.rules.ace_exit_plus_one)
    )


@kernel
def lowest_step_over(bid: int, plain_bid: int, rank: int, exit_plus_one: int) -> int:
    """Return the lowest step above a bid; ``plain_bid`` is the last bid on faces 2 to 6."""
    quantity, face = quantity_of(bid), face_of(bid)
    if face != ACE:
        return step(quantity, face) + 1
    if rank >= LOWEST:
        return step(quantity, FIRST_PLAIN_FACE)
    # 3.4 and 3.5: back from ones
    if rank == BELOW_DOUBLE:
        return step(2 * quantity, FIRST_PLAIN_FACE)
    if exit_plus_one:
        return step(2 * quantity + 1, FIRST_PLAIN_FACE)
    low = step(2 * quantity, FIRST_PLAIN_FACE)
    if plain_bid != 0:
        low = max(low, step(quantity_of(plain_bid), face_of(plain_bid)) + 1)
    return low


@kernel
def restricted_range(state: Record, face: int) -> tuple[int, int]:
    """Return the range of legal quantities if the face (5.4) or the raise (2.2) is restricted."""
    cap = largest_quantity(state)
    if state.bid == 0:  # a palafico round's opening
        return 1, (cap if face != ACE or lowest_ace_bid(state) == 1 else 0)
    quantity, last = quantity_of(state.bid), face_of(state.bid)
    if face == last:
        return quantity + 1, cap
    if not may_change_face(state):
        return 1, 0
    rank = ace_rank(state)
    if face == ACE and rank == NOT_BIDDABLE:
        return 1, 0
    if rank < LOWEST and face == ACE:
        return lowest_ace_bid(state), cap
    if rank < LOWEST and last == ACE:
        low = lowest_step(state)
        return (low + FACES - face) // PLAIN_FACES, cap
    if face < last:
        return 1, 0
    return quantity, (quantity if state.rules.raise_rule == ONE_OF_TWO else cap)


@kernel
def bid_range(state: Record, face: int) -> tuple[int, int]:
    """Return the lowest and highest legal quantity of a face; no bid is legal if low > high."""
    if not any_higher_bid(state):
        return restricted_range(state, face)
    cap = largest_quantity(state)
    if face == ACE:
        return lowest_ace_bid(state), cap
    return (lowest_step(state) + FACES - face) // PLAIN_FACES, cap


@kernel
def calza_refusal(state: Record, seat: int) -> int:
    """Return the reason why a seat may not claim calza, or LEGAL (part 6)."""
    if not state.rules.calza:
        return CALZA_OFF
    if state.bid == 0:
        return CALZA_NEEDS_BID
    if state.palafico != NOBODY and not state.rules.calza_in_palafico:
        return CALZA_PALAFICO
    if state.live == 2 and not state.rules.calza_two_players:
        return CALZA_TWO_PLAYERS
    if state.passer != NOBODY and not state.rules.calza_after_pass:
        return CALZA_AFTER_PASS
    if seat == state.bidder:
        return CALZA_OWN_BID
    if seat == state.turn and state.rules.calza_who == ANY_BUT_NEXT:
        return CALZA_NOT_NEXT
    return LEGAL


@kernel
def first_claimant(state: Record, after: int) -> int:
    """Return the next seat left of ``after`` that may claim calza out of turn, or NOBODY (6.3).

    Each seat is asked once, from the bidder's left. The turn player is not asked, but acts last.
    """
    if not state.rules.calza or state.rules.calza_who == TURN_ONLY:
        return NOBODY
    players = int(state.players)
    seat = int(after)
    for _ in range(players):
        seat += 1
        if seat == players:
            seat = 0
        if seat == state.bidder:
            return NOBODY
        if seat != state.turn and state.counts[seat] > 0 and calza_refusal(state, seat) == LEGAL:
            return seat
    return NOBODY


@kernel
def pass_refusal(state: Record) -> int:
    """Return the reason why the turn player may not pass, or LEGAL (part 7)."""
    if not state.rules.enable_pass:
        return PASS_OFF
    if state.counts[state.turn] != PASS_DICE:
        return PASS_NEEDS_FIVE_DICE
    if (int(state.passed) >> int(state.turn)) & 1:
        return PASS_ONCE
    if state.palafico != NOBODY and not state.rules.pass_in_palafico:
        return PASS_PALAFICO
    if state.passer != NOBODY and not state.rules.consecutive_pass:
        return PASS_AFTER_PASS
    if state.bid == 0 and not state.rules.pass_on_opening:
        return PASS_ON_OPENING
    return LEGAL


@kernel
def may_declare(state: Record) -> bool:
    """Return true if the turn player may declare a palafico round now (5.1)."""
    return bool(
        state.palafico_due == state.turn and state.palafico == NOBODY and state.actions == 0
    )


@kernel
def bid_refusal(state: Record, action: int) -> int:
    """Return the reason why a bid is illegal, or LEGAL."""
    quantity, face = quantity_of(action), face_of(action)
    if face < 1 or face > FACES:
        return UNKNOWN_ACTION
    if quantity < 1 or quantity > largest_quantity(state):
        return QUANTITY_OUT_OF_RANGE
    if face == ACE and state.rules.ace_rank == NOT_BIDDABLE:
        return ACES_NOT_BIDDABLE
    low, high = bid_range(state, face)
    if low <= quantity <= high:
        return LEGAL
    if state.bid == 0:
        return ACE_OPENING
    if face != face_of(state.bid) and not may_change_face(state):
        return FACE_FIXED
    if low <= high and quantity > high:
        return RAISE_ONE_OF_TWO
    if state.rules.raise_rule != ANY_FACE and quantity > quantity_of(state.bid):
        return RAISE_ONE_OF_TWO
    return NOT_HIGHER


@kernel
def refusal(state: Record, action: int) -> int:
    """Return the reason why an action is illegal, or LEGAL; only this function decides legality."""
    if state.phase != BIDDING:
        return DICE_NOT_ROLLED if state.winner == NOBODY else MATCH_OVER
    if state.pending != NOBODY:
        return LEGAL if action == CALZA or action == DECLINE else ONLY_CALZA_OR_DECLINE
    if action >= FIRST_BID_CODE:
        return bid_refusal(state, action)
    if action == DUDO:
        if state.passer != NOBODY:
            return DOUBT_THE_PASS
        return LEGAL if state.bid != 0 else NO_BID_TO_DOUBT
    if action == CALZA:
        return calza_refusal(state, int(state.turn))
    if action == PASS:
        return pass_refusal(state)
    if action == DOUBT:
        return LEGAL if state.passer != NOBODY else NO_PASS_TO_DOUBT
    if action == PALAFICO:
        return LEGAL if may_declare(state) else PALAFICO_NOT_YOURS
    if action == DECLINE:
        return NOTHING_TO_DECLINE
    return UNKNOWN_ACTION
