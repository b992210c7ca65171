"""Why an action is refused, in one line that also says what would be legal."""

from __future__ import annotations

from perudo.games.game import Record
from perudo.games.perudo import bidding, offer
from perudo.games.perudo.actions import action_from_code, format_actions
from perudo.games.perudo.layout import FIRST_BID_CODE, face_of, quantity_of
from perudo.games.state import seat_name

_REASONS = {
    "match_over": "the match is over",
    "dice_not_rolled": "the dice have not been rolled",
    "unknown_action": "there is no such action",
    "quantity_out_of_range": "the quantity is 1 to {cap}",
    "aces_not_biddable": "ones cannot be bid under these rules",
    "ace_opening": "a round cannot be opened on ones here",
    "face_fixed": "the face is fixed in this palafico round",
    "not_higher": "it is not higher than the standing {bid}",
    "raise_one_of_two": "a raise of {bid} may not change quantity and face like that",
    "only_calza_or_decline": "seat {actor} is asked whether to claim calza, nothing else",
    "no_bid_to_doubt": "there is no bid to doubt",
    "doubt_the_pass": "after a pass only the pass can be doubted",
    "calza_off": "these rules have no calza",
    "calza_needs_bid": "there is no bid to claim",
    "calza_own_bid": "nobody claims calza on their own bid",
    "calza_not_next": "the player after the bidder may not claim calza",
    "calza_palafico": "there is no calza in a palafico round",
    "calza_two_players": "there is no calza with two players left",
    "calza_after_pass": "there is no calza right after a pass",
    "pass_off": "these rules have no passing",
    "pass_needs_five_dice": "passing needs exactly five dice",
    "pass_once": "a player passes once a round",
    "pass_on_opening": "the opener may not pass",
    "pass_after_pass": "a pass may not follow a pass",
    "pass_palafico": "there is no passing in a palafico round",
    "no_pass_to_doubt": "there is no pass to doubt",
    "palafico_not_yours": "only a player newly down to one die may declare palafico, and only as "
    "the round's first act",
    "nothing_to_decline": "nobody asked; act on your turn",
}


def explain(record: Record, action: int, code: str) -> str:
    """Say why an action is refused, quoting it and what would have been legal."""
    try:
        said = str(action_from_code(action))
    except (KeyError, ValueError):
        said = f"action {action}"
        if action >= FIRST_BID_CODE:
            said = f"{int(quantity_of(action))}x{int(face_of(action))}"
    if code in ("match_over", "dice_not_rolled"):
        return f"{said} is not legal: {_REASONS[code]}"
    reason = _REASONS[code].format(
        cap=int(bidding.largest_quantity(record)),
        bid=action_from_code(int(record.bid)) if record.bid else "bid",
        actor=seat_name(record.pending),
    )
    count = int(offer.action_count(record))
    legal = format_actions([int(offer.action(record, index)) for index in range(count)])
    return f"{said} is not legal: {reason}; legal: {legal}"
