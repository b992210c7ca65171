"""A position with its legal actions and their exact odds."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from perudo.games.game import EVERYTHING
from perudo.games.perudo import Bid, PerudoState, position
from perudo.games.perudo.layout import FIRST_BID_CODE
from perudo.games.perudo.rules import FACES
from perudo.games.state import seat_name
from perudo.terminal.picture_screen import dice_picture


def data(notation: str) -> dict[str, Any]:
    """The position as plain data."""
    state = position(notation)
    actor = state.actor
    known = actor is not None and state.hand(actor) is not None
    return {
        "notation": state.notation,
        "rules": str(state.rules),
        "dice_counts": list(state.dice_counts),
        "hands": [state.hand(seat) for seat in range(state.players)],
        "actor": None if actor is None else seat_name(actor),
        "bid": None if state.bid is None else str(state.bid),
        "wild_face": state.wild_face,
        "palafico": None if state.palafico is None else seat_name(state.palafico),
        "actions": [
            {"action": str(action), "chance_right": state.chance(action) if known else None}
            for action in sorted(state.legal_actions, key=lambda action: action.code)
        ],
    }


def show(notation: str) -> None:
    """Print the position."""
    state = position(notation)
    console = Console(width=min(80, Console().width))
    console.print(Text(state.notation, "bold"))
    _show_table(console, state)
    actor = state.actor
    if actor is None:
        console.print(str(state).splitlines()[-1])
        return
    hand = state.hand(actor)
    asked = "" if actor == state.turn else ", asked about calza"
    console.print(f"\n{seat_name(actor)} to act{asked}:")
    if hand is None:
        console.print(f"may: {state.legal_actions} (odds need the dice of {seat_name(actor)})")
        return
    console.print(dice_picture(hand))
    _show_odds(console, state)


def _show_table(console: Console, state: PerudoState) -> None:
    wild = f"{state.wild_face}s wild" if state.wild_face else "nothing wild"
    palafico = "" if state.palafico is None else f", palafico of {seat_name(state.palafico)}"
    console.print(f"{state.total_dice} dice, {wild}{palafico}")
    grid = Grid.grid(padding=(0, 3, 0, 0))
    for seat in range(state.players):
        hand = state.hand(seat)
        cup = "?" * state.dice_counts[seat] if hand is None else hand or "out"
        said = " ".join(str(action) for bidder, action in state.history if bidder == seat)
        grid.add_row(seat_name(seat), cup, said)
    console.print(grid)


def _show_odds(console: Console, state: PerudoState) -> None:
    """Words first, then bids: quantity down, face across, with the chance that each holds."""
    codes = state.legal_actions.codes
    for action in (state.game.action_value(code) for code in codes if code < FIRST_BID_CODE):
        chance = state.chance(action)
        console.print(f"  {action!s:9}" + (f"{chance:7.1%} right" if chance is not None else ""))
    bids = {code for code in codes if code >= FIRST_BID_CODE}
    if not bids:
        return
    grid = Grid(box=None, padding=(0, 1), pad_edge=False, title="chance that a bid holds")
    grid.title_justify = "left"
    grid.add_column("")
    for face in range(1, FACES + 1):
        grid.add_column(f"x{face}", justify="right")
    everything_seen = state.viewer == EVERYTHING
    hidden_rows = 0
    for quantity in sorted({code >> 3 for code in bids}):
        row = [Bid(quantity, face) for face in range(1, FACES + 1)]
        chances = [state.chance(bid) if bid.code in bids else None for bid in row]
        if all(chance is None or chance < 5e-4 for chance in chances):
            hidden_rows += 1
            continue
        cells = ["" if chance is None else f"{chance:.1%}" for chance in chances]
        grid.add_row(str(quantity), *cells)
    console.print(grid)
    if hidden_rows:
        console.print(f"and {hidden_rows} higher quantities, each below 0.1%", style="dim")
    if everything_seen:
        console.print("(as the player can know it: from these dice and the number of others)")
