"""Perudo with pictures: dice, cups and the bidding so far, in 80 columns, colour or not."""

from __future__ import annotations

from typing import cast

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text

from perudo.games.game import State, seat_name
from perudo.games.log import SeenEvent
from perudo.games.perudo import Outcome, PerudoState
from perudo.games.perudo.game import Deal
from perudo.terminal.perudo_screen import (
    PlainPerudoScreen,
    bid_words,
    counts_for,
    odds_rows,
    plural,
)

WIDTH = 80
_PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
_LIGHT = ("╭─────╮", "│", "╰─────╯")
_HEAVY = ("┏━━━━━┓", "┃", "┗━━━━━┛")
_CUP = "▣"
_LARGE_HANDS = 3
"""The most hands drawn as pictures; with more, each hand takes one line."""


def dice_picture(hand: str, bright: set[int] | None = None) -> Text:
    """A hand as dice side by side, with heavy outlines at the places in ``bright``."""
    rows = [Text() for _ in range(5)]
    for place, digit in enumerate(hand):
        stands_out = bright is not None and place in bright
        style = "bold green" if stands_out else "default"
        top, side, bottom = _HEAVY if stands_out else _LIGHT
        parts = (top, *(f"{side}{row}{side}" for row in _PIPS[int(digit)]), bottom)
        for row, part in zip(rows, parts, strict=True):
            row.append(part + " ", style)
    return Text("\n").join(rows)


def dice_line(hand: str, bright: set[int]) -> Text:
    """A hand on one line, with the dice at the places in ``bright`` in brackets."""
    line = Text()
    for place, digit in enumerate(hand):
        if place in bright:
            line.append(f"[{digit}]", "bold green")
        else:
            line.append(f" {digit} ")
    return line


class PictureScreen(PlainPerudoScreen):
    """A screen that draws dice, cups and boxes."""

    def __init__(self, console: Console, players: list[str], me: int) -> None:
        super().__init__(lambda text: console.print(text, highlight=False), players, me)
        self._console = console

    def show(self, *parts: RenderableType) -> None:
        """Print the parts, at most 80 columns wide."""
        width = min(WIDTH, self._console.width)
        self._console.print(Group(*parts), width=width, highlight=False)

    def welcome(self, state: State) -> None:
        """Show a title and the rules."""
        position = cast(PerudoState, state)
        line = Text(f"rules {position.rules} · {plural(position.rules.dice, 'die')} each")
        self.show(Panel(Group(line, Text("type ? for help")), title="PERUDO", expand=False))

    def deal(self, event: SeenEvent, view: State) -> None:
        """Show the round's number, the rolls for the start and what is special about the round."""
        state = cast(PerudoState, view)
        self.show(
            Text(""), Rule(f"round {state.round} · {plural(state.total_dice, 'die')} in play")
        )
        for attempt in cast(Deal, event).get("start_roll", []):
            rolls = [
                f"{self.name(seat)} {face}" for seat, face in enumerate(attempt) if face is not None
            ]
            self.say(f"roll for the start: {', '.join(rolls)}")
        special = self.special(state)
        style = "bold magenta" if state.palafico is not None else ""
        self.show(Text(special[:1].upper() + special[1:], style))

    def cups(self, state: PerudoState) -> Grid:
        """A grid of the seats, each with its cup and its last action."""
        grid = Grid.grid(padding=(0, 2))
        said = {seat: str(action) for seat, action in state.history}
        for seat, count in enumerate(state.dice_counts):
            turn = "▶" if seat == state.actor else " "
            cup = Text(_CUP * count + f" {count}" if count else "out", "" if count else "dim")
            name = Text(self.name(seat), "bold" if seat == self._me else "")
            grid.add_row(turn, seat_name(seat), name, cup, Text(said.get(seat, ""), "cyan"))
        return grid

    def situation(self, view: State) -> None:
        """Show the cups, the bidding so far and the person's dice."""
        state = cast(PerudoState, view)
        if state.actor != state.turn:
            dice = " ".join(state.hand(self._me) or "")
            self.show(Text(f"{self.calza_question(state)} (your dice: {dice})", "bold"))
            return
        parts: list[RenderableType] = [Text(""), self.cups(state)]
        if state.history:
            bidding = " → ".join(f"{seat_name(seat)} {action}" for seat, action in state.history)
            parts.append(Text(f"bidding: {bidding}"))
        hand = state.hand(self._me)
        if hand:
            parts += [Text("your dice:"), dice_picture(hand)]
        if state.bid is not None and state.bidder is not None:
            parts.append(
                Text(
                    f"{self.name(state.bidder)} bid {bid_words(state.bid)}. Raise or doubt?", "bold"
                )
            )
        else:
            parts.append(Text("You open the bidding.", "bold"))
        self.show(*parts)

    def own_dice(self, state: PerudoState) -> None:
        """Show nothing: the dice are part of the situation."""

    def count(self, state: PerudoState, outcome: Outcome) -> None:
        """Show all hands, with the dice that count highlighted and a running count on the right."""
        grid = Grid(show_header=False, show_edge=False, pad_edge=False, box=None)
        large = sum(bool(hand) for hand in outcome.hands) <= _LARGE_HANDS
        middle = "\n\n" if large else ""
        running = 0
        for seat, hand in enumerate(outcome.hands):
            if not hand:
                continue
            bright: set[int] = set()
            tally = ""
            if outcome.bid is not None and outcome.count is not None:
                wild, bid = state.wild_face, outcome.bid
                bright = {
                    place for place, die in enumerate(hand) if counts_for(int(die), bid, wild)
                }
                running += len(bright)
                tally = f"{middle}+{len(bright)} = {running}"
            picture = dice_picture(hand, bright) if large else dice_line(hand, bright)
            grid.add_row(Text(f"{middle}{self.name(seat)} "), picture, Text(tally))
        self.show(Text(""), grid)
        if outcome.bid is not None and outcome.count is not None:
            self.say(f"{outcome.count} on the table; the bid was {bid_words(outcome.bid)}.")

    def result(self, event: SeenEvent, view: State) -> None:
        """Show the hands, and the verdict in a box."""
        state = cast(PerudoState, view)
        outcome = state.outcome
        assert outcome is not None
        self.count(state, outcome)
        sentences = [text[:1].upper() + text[1:] for text in self.verdict(state, outcome)]
        mine = self._me in outcome.losers
        style = "red" if mine else "green" if outcome.gained[self._me] else "default"
        self.show(Panel("\n".join(sentences), expand=False, border_style=style))

    def end(self, event: SeenEvent, view: State) -> None:
        """Show who has won the match, in a box."""
        winner = cast(PerudoState, view).winner
        assert winner is not None
        text = f"{self.verb(winner, 'win', 'wins')} the match!"
        self.show(Panel(Text(text[:1].upper() + text[1:], "bold"), expand=False))

    def odds(self, view: State) -> None:
        """Show the odds in columns."""
        rows = odds_rows(cast(PerudoState, view))
        self.show(Columns([f"{text:>6} {chance:4.0%}" for text, chance in rows], equal=True))
