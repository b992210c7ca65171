"""Perudo in sentences, without boxes or colour: for screen readers and logs."""

from __future__ import annotations

from typing import cast

from perudo.games.game import State
from perudo.games.log import SeenEvent
from perudo.games.perudo import Bid, Outcome, PerudoState, Word
from perudo.games.perudo.game import Deal
from perudo.games.perudo.layout import FIRST_BID_CODE
from perudo.games.perudo.rules import FACES
from perudo.terminal.screen import Screen

FACE_NAMES = ("", "one", "two", "three", "four", "five", "six")


def plural(count: int, noun: str) -> str:
    """A number and its noun: 1 die, 2 dice, 2 fives, 2 sixes."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} " + ("dice" if noun == "die" else noun + ("es" if noun == "six" else "s"))


def counts_for(die: int, bid: Bid, wild_face: int | None) -> bool:
    """Return True if a die counts towards a bid."""
    return die in (bid.face, wild_face)


def bid_words(bid: Bid) -> str:
    """A bid in words: 3 fives."""
    return plural(bid.quantity, FACE_NAMES[bid.face])


class PlainPerudoScreen(Screen):
    """A screen that describes every event in a sentence or two."""

    def welcome(self, state: State) -> None:
        """Show the rules and the players."""
        position = cast(PerudoState, state)
        others = ", ".join(self.name(seat) for seat in range(state.players) if seat != self._me)
        self.say(
            f"perudo, rules {position.rules}: you against {others}, "
            f"{plural(position.rules.dice, 'die')} each. Type ? for help."
        )

    def deal(self, event: SeenEvent, view: State) -> None:
        """Show the round, the dice counts, the wild face, the person's dice and who opens."""
        state = cast(PerudoState, view)
        for attempt in cast(Deal, event).get("start_roll", []):
            rolls = [
                f"{self.verb(seat, 'roll', 'rolls')} {face}"
                for seat, face in enumerate(attempt)
                if face is not None
            ]
            self.say(f"for the start, {', '.join(rolls)}.")
        counts = [
            f"{self.verb(seat, 'have', 'has')} {count}"
            for seat, count in enumerate(state.dice_counts)
            if count
        ]
        self.say(f"round {state.round}. Dice: {', '.join(counts)}; {state.total_dice} in play.")
        self.say(self.special(state))
        self.own_dice(state)
        if state.opener is not None:
            self.say(f"{self.verb(state.opener, 'open', 'opens')}.")

    def special(self, state: PerudoState) -> str:
        """A sentence about the wild face, and about palafico if it applies."""
        wild = "nothing is wild"
        if state.wild_face:
            wild = (
                f"{FACE_NAMES[state.wild_face]}{'es' if state.wild_face == FACES else 's'} are wild"
            )
        if state.palafico is None:
            return f"{wild}."
        return (
            f"palafico: {self.verb(state.palafico, 'are', 'is')} down to one die. The opening "
            f"face is fixed, and {wild}."
        )

    def own_dice(self, state: PerudoState) -> None:
        """Show the person's dice."""
        hand = state.hand(self._me)
        if hand:
            self.say(f"your dice: {' '.join(hand)}.")

    def action(self, event: SeenEvent, view: State) -> None:
        """Show a bid or a call."""
        seat, text = event["seat"], str(event["action"])
        outcome = cast(PerudoState, view).outcome
        if text == "decline":
            if seat == self._me:
                self.say("you let it go.")
        elif text in ("dudo", "calza"):
            assert outcome is not None
            assert outcome.bid is not None
            self.say(f"{self.verb(seat, 'say', 'says')} {text} to {bid_words(outcome.bid)}!")
        elif text == "pass":
            self.say(f"{self.verb(seat, 'pass', 'passes')}.")
        elif text == "doubt":
            self.say(f"{self.verb(seat, 'doubt', 'doubts')} the pass!")
        elif text == "palafico":
            self.say(f"{self.verb(seat, 'declare', 'declares')} palafico.")
        else:
            self.say(f"{self.verb(seat, 'bid', 'bids')} {bid_words(Bid.parse(text))}, {text}.")

    def result(self, event: SeenEvent, view: State) -> None:
        """Show the hands and the count, then who loses, why, and who opens next."""
        state = cast(PerudoState, view)
        outcome = state.outcome
        assert outcome is not None
        self.count(state, outcome)
        for sentence in self.verdict(state, outcome):
            self.say(sentence)

    def count(self, state: PerudoState, outcome: Outcome) -> None:
        """Show each hand, and how many of its dice count towards the bid."""
        if outcome.bid is None or outcome.count is None:
            dice = " ".join(outcome.hands[outcome.target])
            self.say(f"{self.verb(outcome.target, 'show', 'shows')} {dice}.")
            return
        running = 0
        for seat, hand in enumerate(outcome.hands):
            if hand:
                matches = sum(counts_for(int(die), outcome.bid, state.wild_face) for die in hand)
                running += matches
                self.say(
                    f"{self.verb(seat, 'show', 'shows')} {' '.join(hand)}: "
                    f"{matches} {'counts' if matches == 1 else 'count'}, {running} so far."
                )
        self.say(f"{outcome.count} on the table; the bid was {bid_words(outcome.bid)}.")

    def verdict(self, state: PerudoState, outcome: Outcome) -> list[str]:
        """Sentences for the reason, for who loses or gains dice, and for who opens next."""
        sentences = [f"{self.reason(outcome)}."]
        for seat in outcome.losers:
            left = state.dice_counts[seat]
            rest = f"{left} left" if left else f"and {'are' if seat == self._me else 'is'} out"
            if state.rules.single_round:
                rest = "and with it the round"
            sentences.append(
                f"{self.verb(seat, 'lose', 'loses')} {plural(outcome.lost[seat], 'die')}, {rest}."
            )
        for seat, dice in enumerate(outcome.gained):
            if dice:
                sentences.append(
                    f"{self.verb(seat, 'gain', 'gains')} a die, {state.dice_counts[seat]} now."
                )
        if outcome.opener is not None:
            sentences.append(f"{self.verb(outcome.opener, 'open', 'opens')} the next round.")
        return sentences

    def reason(self, outcome: Outcome) -> str:
        """The reason of the outcome, in words."""
        return {
            "bid too high": f"{self.possessive(outcome.target)} bid was too high",
            "dudo too soon": f"dudo too soon: {self.possessive(outcome.target)} bid holds",
            "calza right": "the calza was right",
            "calza wrong": "the calza was wrong",
            "pass caught": f"{self.possessive(outcome.target)} pass was a bluff",
            "pass doubted wrongly": f"{self.possessive(outcome.target)} pass was honest",
        }[outcome.reason]

    def possessive(self, seat: int) -> str:
        """The seat's name in the possessive: your, or random (B)'s."""
        return "your" if seat == self._me else f"{self.name(seat)}'s"

    def situation(self, view: State) -> None:
        """Show the standing bid and the person's dice."""
        state = cast(PerudoState, view)
        if state.actor != state.turn:
            self.say(self.calza_question(state))
        elif state.bid is None:
            self.say("you open the bidding.")
        else:
            assert state.bidder is not None
            self.say(f"the standing bid is {bid_words(state.bid)}, by {self.name(state.bidder)}.")
        self.own_dice(state)

    def calza_question(self, state: PerudoState) -> str:
        """The question that offers the person a calza out of turn."""
        assert state.bid is not None
        return f"Exactly {bid_words(state.bid)}? Type calza, or press Enter to let it go."

    def on_empty(self, view: State) -> str | None:
        """Decline when Enter answers an offer of calza: the offer comes after almost every bid."""
        return "decline" if view.actor != cast(PerudoState, view).turn else None

    def prompt(self, view: State) -> str:
        """The text that asks for a call."""
        return "your call: "

    def odds(self, view: State) -> None:
        """Show the odds of each sensible bid and call."""
        for text, chance in odds_rows(cast(PerudoState, view)):
            self.say(f"{text}: {chance:.0%}.")

    def help(self, view: State) -> None:
        """Show what the person can type."""
        self.say("a bid is quantity x face: 3x5 says that at least three dice show a five.")
        for action in view.legal_actions:
            if isinstance(action, Word):
                self.say(f"{action}: {action.meaning}.")
        self.say("legal: list your legal actions. odds: show how likely each is to be right.")
        self.say("table: show the table again. quit or Ctrl-C: leave the game.")


def odds_rows(state: PerudoState) -> list[tuple[str, float]]:
    """The legal calls and the lowest bids on each face, each with its chance of being right."""
    rows: list[tuple[str, float]] = []
    lowest: dict[int, int] = {}
    codes = sorted(state.legal_actions.codes)
    for code in codes:
        if code >= FIRST_BID_CODE:
            lowest.setdefault(code & 7, code)
    chosen = [code for code in codes if code < FIRST_BID_CODE]
    for low in lowest.values():
        chosen += [code for code in codes if code & 7 == low & 7 and low <= code < low + 24]
    for code in chosen:
        chance = state.chance(code)
        if chance is not None:
            rows.append((state.game.format_action(code), chance))
    return rows
