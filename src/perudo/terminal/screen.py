"""What a terminal game needs from a screen, and the screen for any game."""

from __future__ import annotations

from collections.abc import Callable

from perudo.games.log import SeenEvent
from perudo.games.state import State, seat_name

Ask = Callable[[str], str]
"""Reads a line from the person; raises EOFError at the end of input."""


class Screen:
    """Says what happens, in plain sentences, for any game; others draw more."""

    def __init__(self, say: Callable[[str], None], players: list[str], me: int) -> None:
        self._say = say
        self._players = players
        self._me = me

    def name(self, seat: int) -> str:
        """How a seat is called."""
        return "you" if seat == self._me else f"{self._players[seat]} ({seat_name(seat)})"

    def verb(self, seat: int, own: str, other: str) -> str:
        """A seat and what it does, in the right person: "you lose", "random (B) loses"."""
        return f"{self.name(seat)} {own if seat == self._me else other}"

    def say(self, text: str) -> None:
        """Say a sentence."""
        self._say(text[:1].upper() + text[1:])

    def welcome(self, state: State) -> None:
        """Begin."""
        self.say(
            f"{state.game.name}, {', '.join(self.name(seat) for seat in range(state.players))}. "
            "Type ? for help."
        )

    def deal(self, event: SeenEvent, view: State) -> None:
        """Dice have been rolled or cards dealt."""
        self.say("a new round is dealt.")

    def action(self, event: SeenEvent, view: State) -> None:
        """Somebody has acted; an action that the person may not know yet is None."""
        if event["seat"] != self._me:
            did = "has chosen" if event["action"] is None else f"plays {event['action']}"
            self.say(f"{self.name(event['seat'])} {did}.")

    def result(self, event: SeenEvent, view: State) -> None:
        """A round has been settled."""
        self.say(f"the round is over: {view.game.result_text(event)}.")

    def end(self, event: SeenEvent, view: State) -> None:
        """The match is over."""
        best = max(event["payoffs"])
        winners = [seat for seat, payoff in enumerate(event["payoffs"]) if payoff == best]
        if len(winners) > 1:
            self.say(f"a draw between {' and '.join(self.name(seat) for seat in winners)}.")
        else:
            self.say(f"{self.verb(winners[0], 'win', 'wins')}!")

    def situation(self, view: State) -> None:
        """All that the person needs before deciding."""
        self._say(str(view))

    def prompt(self, view: State) -> str:
        """What to ask."""
        return "your move: "

    def on_empty(self, view: State) -> str | None:
        """What an empty line means, if it means an action."""
        return None

    def legal(self, view: State) -> None:
        """The legal actions."""
        self.say(f"you may play: {view.legal_actions}.")

    def odds(self, view: State) -> None:
        """The chances of each action, where the game knows them."""
        self.say("this game has no table of odds.")

    def help(self, view: State) -> None:
        """What can be typed."""
        self.say(f"type one of: {view.legal_actions}.")
        self.say("or: legal (what you may do), odds, table (show it again), ? (this help), quit.")

    def refused(self, problem: str) -> None:
        """What was typed cannot be done."""
        self.say(problem)
