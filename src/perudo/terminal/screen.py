"""The interface between a terminal game and its screen, and a plain screen for any game."""

from __future__ import annotations

from collections.abc import Callable

from perudo.games.game import State, seat_name
from perudo.games.log import SeenEvent

Ask = Callable[[str], str]
"""A function that shows a prompt and reads a line; it raises EOFError at the end of the input."""


class Screen:
    """A screen that describes any game in plain sentences; subclasses show more."""

    def __init__(self, say: Callable[[str], None], players: list[str], me: int) -> None:
        self._say = say
        self._players = players
        self._me = me

    def name(self, seat: int) -> str:
        """The seat's name: "you", or the player's name and letter."""
        return "you" if seat == self._me else f"{self._players[seat]} ({seat_name(seat)})"

    def verb(self, seat: int, own: str, other: str) -> str:
        """The seat's name and a verb in the right person: "you lose", "random (B) loses"."""
        return f"{self.name(seat)} {own if seat == self._me else other}"

    def say(self, text: str) -> None:
        """Show a sentence, with a capital letter."""
        self._say(text[:1].upper() + text[1:])

    def welcome(self, state: State) -> None:
        """Introduce the game and its players."""
        self.say(
            f"{state.game.name}, {', '.join(self.name(seat) for seat in range(state.players))}. "
            "Type ? for help."
        )

    def deal(self, event: SeenEvent, view: State) -> None:
        """Show that dice were rolled or cards dealt."""
        self.say("a new round is dealt.")

    def action(self, event: SeenEvent, view: State) -> None:
        """Show an action of another seat; it is None while it is still secret."""
        if event["seat"] != self._me:
            did = "has chosen" if event["action"] is None else f"plays {event['action']}"
            self.say(f"{self.name(event['seat'])} {did}.")

    def result(self, event: SeenEvent, view: State) -> None:
        """Show the result of a round."""
        self.say(f"the round is over: {view.game.result_text(event)}.")

    def end(self, event: SeenEvent, view: State) -> None:
        """Show who has won the match."""
        best = max(event["payoffs"])
        winners = [seat for seat, payoff in enumerate(event["payoffs"]) if payoff == best]
        if len(winners) > 1:
            self.say(f"a draw between {' and '.join(self.name(seat) for seat in winners)}.")
        else:
            self.say(f"{self.verb(winners[0], 'win', 'wins')}!")

    def situation(self, view: State) -> None:
        """Show everything the person needs in order to decide."""
        self._say(str(view))

    def prompt(self, view: State) -> str:
        """The text that asks for a move."""
        return "your move: "

    def on_empty(self, view: State) -> str | None:
        """The action that an empty line stands for, or None."""
        return None

    def legal(self, view: State) -> None:
        """Show the legal actions."""
        self.say(f"you may play: {view.legal_actions}.")

    def odds(self, view: State) -> None:
        """Show the odds of each action, if the game can work them out."""
        self.say("this game has no table of odds.")

    def help(self, view: State) -> None:
        """Show what the person can type."""
        self.say(f"type one of: {view.legal_actions}.")
        self.say(
            "or: legal (your legal actions), odds, table (show it again), ? (this help), quit."
        )

    def refused(self, problem: str) -> None:
        """Show why the typed action was refused."""
        self.say(problem)
