"""Perudo at a hosted table: the calza window, dice from draws, and what each viewer may know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from perudo.games.game import Payload, State, action_code
from perudo.games.hosting import DRAW_LIMIT, Draws, Hosting, Json, Moves, SeatResult, host
from perudo.games.log import Event, SeenEvent
from perudo.games.operations import SPECTATOR, Record
from perudo.games.perudo.actions import Bid, action_from_code
from perudo.games.perudo.game import PERUDO, Deal
from perudo.games.perudo.layout import NOBODY, read_rules
from perudo.games.perudo.odds import chance_right
from perudo.games.perudo.outcome import Settled, outcome_of
from perudo.games.perudo.rules import PRESETS, Rules
from perudo.games.perudo.state import PerudoState, facts

PUBLIC = (
    *("round", "counts", "wild", "palafico", "been_palafico", "opener", "total"),
    *("winner", "over"),
)
"""The facts that everybody may know and that no bid changes."""
BIDDING = ("bid", "bidder", "history")
"""The facts that every bid changes."""


class PerudoHosting(Hosting):
    """Perudo. Whoever may claim calza out of turn is asked in a window, all at the same time."""

    personal_events = frozenset({"deal"})

    def summary(self, preset: str) -> str:
        """Return a line about a preset."""
        return PRESETS[preset].summary

    def max_players(self, setting: Any) -> int:
        """Return the option ``max_players``."""
        return cast(Rules, setting).max_players

    def setting_of(self, position: State) -> Rules:
        """Return the rules of a position."""
        return cast(PerudoState, position).rules

    def asked(self, position: State) -> tuple[int, ...]:
        """Return the seats in the calza window, or else the seat that has the turn."""
        state = cast(PerudoState, position)
        if not self.is_window(state):
            return super().asked(state)
        asked: list[int] = []
        while state.actor is not None and state.actor != state.turn:
            asked.append(state.actor)
            state = state.apply("decline")
        return tuple(asked)

    def is_window(self, position: State) -> bool:
        """Return whether others than the seat that has the turn may claim calza."""
        return bool(position._record.pending != NOBODY) and position.actor is not None

    def moves(self, position: State, answers: Mapping[int, str]) -> Moves | None:
        """Settle a window in the order of the seats: it ends with the first calza."""
        moves = super().moves(position, answers)
        if moves is None or not self.is_window(position):
            return moves
        claims = [place for place, (_, action) in enumerate(moves) if action == "calza"]
        return moves[: claims[0] + 1] if claims else moves

    def turn(self, position: State) -> int | None:
        """Return the seat that has the turn, or has it when the window closes."""
        return cast(PerudoState, position).turn

    def observe(self, position: State, viewer: int) -> State:
        """Show a seat in the window the position in which those before it have declined.

        The engine asks one seat after the other; a table asks all of them at once.
        """
        if viewer >= 0 and self.is_window(position) and viewer in self.asked(position):
            while position.actor != viewer:
                position = position.apply("decline")
        return position.observe(viewer)

    def action_text(self, code: int) -> str:
        """Return an action as text; there are few hundred, so they are kept."""
        return _action_text(code)

    def action_code(self, text: str) -> int:
        """Return the number of an action."""
        return _action_code(text)

    def default(self, observation: State, legal: Sequence[str]) -> str:
        """Decline in the window; else say dudo, else make the lowest bid."""
        for word in ("decline", "dudo"):
            if word in legal:
                return word
        bids = [Bid.parse(action) for action in legal if "x" in action]
        if not bids:
            return legal[0]
        view = cast(PerudoState, observation)
        halved = view.wild_face == 1 and view.rules.ace_rank in ("above_double", "below_double")
        return str(min(bids, key=_halved_rank if halved else _plain_rank))

    def rounds_dealt(self, record: Record) -> int:
        """Return the number of the round, which counts its deals."""
        return int(record.round_number)

    def deal(self, record: Record, draws: Draws) -> Payload:
        """Roll every cup, and before the first round the dice for the opener."""
        opener = int(record.opener)
        attempts: list[list[int | None]] = []
        if opener == NOBODY:
            opener, attempts = first_opener(record, draws.public())
        hands = [
            "".join(sorted(_die(draws.of_seat(seat), int(record.counts[seat]))))
            for seat in range(int(record.players))
        ]
        dealt = Deal(round=int(record.round_number) + 1, opener=opener, dice=[*hands])
        if attempts:
            dealt["start_roll"] = attempts
        return dealt

    def revealed(self, record: Record) -> list[bool]:
        """Return, by seat, whether its dice were shown when the round was settled."""
        outcome = outcome_of(record)
        assert outcome is not None
        return [bool(hand) for hand in outcome.hands]

    def seen(self, event: Event, viewer: int = SPECTATOR) -> SeenEvent:
        """Hide the dice of all other seats in a deal."""
        seen = super().seen(event, viewer)
        if event["event"] == "deal":
            deal = cast(Deal, seen)
            deal["dice"] = [
                hand if seat == viewer or not hand else None
                for seat, hand in enumerate(deal["dice"])
            ]
        return seen

    def in_play(self, position: State) -> tuple[int, ...]:
        """Return the seats that have dice."""
        counts = cast(PerudoState, position).dice_counts
        return tuple(seat for seat, count in enumerate(counts) if count)

    def view(self, observation: State, last: SeenEvent | None) -> Json:
        """Return the facts that everybody may know and that no bid changes.

        The last outcome comes from the log: reading it from the record takes ten times as long.
        """
        view = cast(Json, facts(cast(PerudoState, observation), *PUBLIC))
        result = cast(Json, last)
        view["last"] = last and {name: result[name] for name in Settled.__annotations__}
        return view

    def keeps_view(self, event: Event) -> bool:
        """Return whether the event is a bid."""
        return event["event"] == "act" and "x" in event["action"]

    def passing_view(self, events: Sequence[Event]) -> Json:
        """Return the round's bids and passes, from the log."""
        said: list[tuple[int, str]] = []
        for event in reversed(events):
            if event["event"] == "deal":
                break
            if event["event"] == "act" and ("x" in event["action"] or event["action"] == "pass"):
                said.append((event["seat"], event["action"]))
        bidder, bid = next((made for made in said if made[1] != "pass"), (None, None))
        return dict(zip(BIDDING, (bid, bidder, said[::-1]), strict=True))

    def private_view(self, viewer: int, deal: SeenEvent | None) -> Json:
        """Return the dice that the viewer was dealt last."""
        if viewer < 0 or deal is None:
            return {"dice": None}
        return {"dice": cast(Deal, deal)["dice"][viewer]}

    def results(self, events: Sequence[Event], seats: int) -> list[SeatResult]:
        """Return places, and how often each seat called, was right, bid and bluffed."""
        return seat_results(events, seats)

    def odds(self, observation: State) -> dict[str, float | None]:
        """Return the exact chance that each legal action's claim is true."""
        record, actor = observation.record, observation.actor
        assert actor is not None
        odds = {}
        for code in observation.legal_actions.codes:
            chance = chance_right(record, actor, code)
            odds[_action_text(code)] = None if chance is None else round(chance, 6)
        return odds


def first_opener(record: Record, draws: Iterator[int]) -> tuple[int, list[list[int | None]]]:
    """Return who opens the first round, and the start roll, attempt by attempt, if there is one."""
    rules = read_rules(record)
    players = range(int(record.players))
    everybody = [seat for seat in players if record.counts[seat]]
    if rules.start_mode == "fixed":
        return everybody[0], []
    if rules.start_mode == "random":
        limit = DRAW_LIMIT - DRAW_LIMIT % len(everybody)
        return everybody[next(n for n in draws if n < limit) % len(everybody)], []
    rolling = everybody
    attempts: list[list[int | None]] = []
    while len(rolling) > 1 or not attempts:
        faces = {seat: next(draws) % 6 + 1 for seat in rolling}
        attempts.append([faces.get(seat) for seat in players])
        tied = [seat for seat in rolling if faces[seat] == max(faces.values())]
        again = rules.start_roll_tie == "reroll_all" and len(tied) > 1
        rolling = everybody if again else tied
    return rolling[0], attempts


def _die(draws: Iterator[int], count: int) -> list[str]:
    return [str(next(draws) % 6 + 1) for _ in range(count)]


@lru_cache(maxsize=1024)
def _action_text(code: int) -> str:
    return str(action_from_code(code))


@lru_cache(maxsize=1024)
def _action_code(text: str) -> int:
    return action_code(PERUDO, text)


def _plain_rank(bid: Bid) -> tuple[int, int]:
    return bid.quantity, bid.face


def _halved_rank(bid: Bid) -> tuple[int, int]:
    """Rank a bid where bids on ones count double, above sixes."""
    return (2 * bid.quantity, 7) if bid.face == 1 else (bid.quantity, bid.face)


# --- statistics -----------------------------------------------------------------------------------
@dataclass
class _Tally:
    """Counts of one seat."""

    dice: int = 0
    calls: int = 0
    right: int = 0
    bluffs: int = 0
    lost: int = 0
    faces: list[int] = field(default_factory=lambda: [0] * 6)


def seat_results(events: Sequence[Event], seats: int) -> list[SeatResult]:
    """Return the result of each seat in a finished match."""
    tallies = [_Tally() for _ in range(seats)]
    ranking = _follow(events, tallies)
    return [
        {
            "place": ranking.index(seat) + 1,
            "dice_left": tally.dice,
            "calls": tally.calls,
            "right_calls": tally.right,
            "bids": sum(tally.faces),
            "bluffs": tally.bluffs,
            "faces": ",".join(map(str, tally.faces)),
            "rounds_lost": tally.lost,
        }
        for seat, tally in enumerate(tallies)
    ]


def _follow(events: Sequence[Event], tallies: list[_Tally]) -> list[int]:
    """Count, and return the seats from the winner to the first that was out."""
    out: list[int] = []
    dice: list[str] = []
    for event in events:
        if event["event"] == "deal":
            dice = cast(list[str], cast(Deal, event)["dice"])
            for tally, hand in zip(tallies, dice, strict=True):
                tally.dice = len(hand)
        elif event["event"] == "act" and "x" in event["action"]:
            quantity, face = map(int, event["action"].split("x"))
            tally = tallies[event["seat"]]
            tally.faces[face - 1] += 1
            # A bluff claims a face that the bidder does not hold, and more of it than the expected
            # number among the others' dice.
            own = sum(die in (str(face), "1") for die in dice[event["seat"]])
            unseen = sum(len(hand) for hand in dice) - len(dice[event["seat"]])
            tally.bluffs += own == 0 and quantity > unseen / 6
        elif event["event"] == "result":
            _settle(cast(Settled, event), tallies, out)
    rest = [seat for seat in range(len(tallies)) if seat not in out]
    rest.sort(key=lambda seat: -tallies[seat].dice)
    return rest + out[::-1]


def _settle(event: Settled, tallies: list[_Tally], out: list[int]) -> None:
    caller = tallies[event["caller"]]
    caller.calls += 1
    caller.right += not event["lost"][event["caller"]]
    for seat, tally in enumerate(tallies):
        tally.lost += event["lost"][seat] > 0
        before = tally.dice
        tally.dice += event["gained"][seat] - event["lost"][seat]
        if before > 0 and tally.dice == 0:
            out.append(seat)


host(PerudoHosting(PERUDO))
