"""Provably fair dice: the server cannot choose them, and everybody can check them afterwards.

Before the players take their seats the server draws a secret and publishes its SHA-256, the
*anchor*. Each player adds a seed when taking a seat. The secret determines a seed for every round,
which determines a key for every seat; a seat's key and all players' seeds determine its dice:

    round seed = HMAC-SHA256(secret, "round R")        commit = SHA-256(round seed)
    seat key   = HMAC-SHA256(round seed, "seat S")     lock   = SHA-256(seat key)
    dice       = bytes of HMAC-SHA256(seat key, "dice BLOCK" + SHA-256(seeds)) below 252, mod 6, + 1

The server publishes the commit of a round with the deal before it (the first one at the game's
start), the locks with the deal, the keys of exactly the hands that were shown with the result, and
the secret at the end. Since the anchor is older than the last player's seed, the server cannot try
secrets until it likes the dice. But it does know the dice: it could leak them, or abort a game that
it dislikes, and no cryptography prevents that.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from typing_extensions import TypedDict

from perudo.games.errors import PerudoError
from perudo.games.game import Game, Payload, State
from perudo.games.hosting import DRAW_LIMIT, hosting_of
from perudo.games.log import Event
from perudo.games.operations import SPECTATOR, Record
from perudo.record import MatchRecord

SECRET_BYTES = 32


class FairDeal(TypedDict, total=False):
    """Commitments in the log of a deal."""

    commit: str
    next: str
    """Commit of the next round."""
    anchor: str
    seeds: list[str]
    start_key: str
    """Key of the draws that everybody may check at once."""
    locks: list[str]


class Checked(TypedDict):
    """Result of checking the dice of a record."""

    rounds: int
    hands: int
    """Hands that were recomputed."""
    anchor: str
    complete: bool
    """True if the secret is known, so that every hand was recomputed."""


def sha(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def derive(key: bytes, label: str) -> bytes:
    """Return a key that follows from a key."""
    return hmac.new(key, label.encode(), hashlib.sha256).digest()


def numbers(key: bytes, label: str, seeds: Sequence[str]) -> Iterator[int]:
    """Draw whole numbers from 0 to 251, all equally likely."""
    mixed = sha("\n".join(seeds).encode())
    block = 0
    while True:
        for byte in derive(key, f"{label} {block}{mixed}"):
            if byte < DRAW_LIMIT:
                yield byte
        block += 1


@dataclass
class KeyedDraws:
    """The draws of one deal, from a key for each seat and one for what is public."""

    seat_keys: Sequence[bytes]
    start_key: bytes
    seeds: Sequence[str]
    used_start_key: bool = field(default=False, init=False)

    def of_seat(self, seat: int) -> Iterator[int]:
        """Draw numbers that only this seat may know for now."""
        return numbers(self.seat_keys[seat], "dice", self.seeds)

    def public(self) -> Iterator[int]:
        """Draw numbers that everybody may check at once."""
        self.used_start_key = True
        return numbers(self.start_key, "start", self.seeds)


@dataclass(frozen=True)
class FairDice:
    """The chain of seeds of one match, from the server's secret and the players' seeds.

    The game turns the draws into its deals (``games/hosting.py``).
    """

    secret: bytes = field(repr=False)
    seeds: list[str]

    @property
    def anchor(self) -> str:
        """The commitment to the secret."""
        return sha(self.secret)

    def commit(self, number: int) -> str:
        """Return what is published about a round before it is dealt."""
        return sha(self._round_seed(number))

    def deal(self, game: Game, record: Record) -> Payload:
        """Deal the next round."""
        hosting = hosting_of(game.name)
        number = hosting.rounds_dealt(record) + 1
        draws = self._draws(number, int(record.players))
        dealt = hosting.deal(record, draws)
        game.replay_deal(record, dealt)
        fair: FairDeal = {"commit": self.commit(number), "next": self.commit(number + 1)}
        if number == 1:
            fair |= {"anchor": self.anchor, "seeds": self.seeds}
        if draws.used_start_key:
            fair["start_key"] = draws.start_key.hex()
        fair["locks"] = [sha(key) for key in draws.seat_keys]
        return cast(Payload, {"fair": fair, **dealt})

    def settled(self, game: Game, record: Record) -> Payload:
        """Publish the keys of the hands that were shown."""
        hosting = hosting_of(game.name)
        number, revealed = hosting.rounds_dealt(record), hosting.revealed(record)
        draws = self._draws(number, len(revealed))
        keys = zip(draws.seat_keys, revealed, strict=True)
        return cast(
            Payload, {"fair": {"keys": [key.hex() if shown else None for key, shown in keys]}}
        )

    def ended(self, game: Game, record: Record) -> Payload:
        """Publish the secret."""
        return cast(Payload, {"fair": {"secret": self.secret.hex()}})

    def _draws(self, number: int, seats: int) -> KeyedDraws:
        seed = self._round_seed(number)
        keys = [derive(seed, f"seat {seat}") for seat in range(seats)]
        return KeyedDraws(keys, derive(seed, "start"), self.seeds)

    def _round_seed(self, number: int) -> bytes:
        return derive(self.secret, f"round {number}")


# --- checking -----------------------------------------------------------------------------------
def has_fair_dice(record: MatchRecord) -> bool:
    """Return whether a record says that its dice can be checked."""
    return bool(record.events) and "fair" in record.events[0]


def check_dice(record: MatchRecord) -> Checked:
    """Recompute every roll of a record; raise where one does not follow from what was committed.

    An unfinished match has no secret yet: then only the hands that were shown can be checked.
    """
    try:
        return _check_dice(record)
    except PerudoError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        problem = "the dice cannot be checked: a part of 'fair' is missing or unreadable"
        raise PerudoError(problem) from None


def _check_dice(record: MatchRecord) -> Checked:
    first = _fair(record.events[0])
    anchor, seeds = first["anchor"], first["seeds"]
    dice = None
    if record.finished:
        secret = bytes.fromhex(_fair(record.events[-1])["secret"])
        _require(sha(secret) == anchor, "the secret does not belong to the anchor")
        dice = FairDice(secret, seeds)
    rounds = hands = 0
    promised = None
    state = before = record.start_state()
    deal = record.events[0]
    for event, after in record.replay():
        if event["event"] == "deal":
            deal, before, rounds = event, state, rounds + 1
            fair = _fair(event)
            fits = promised in (None, fair["commit"])
            _require(fits, f"round {rounds}: another commit was published")
            promised = fair["next"]
            if dice is not None:
                hands += _check_deal(dice, before, deal, rounds)
            else:
                _check_shown(before, deal, [], seeds, rounds)
        elif event["event"] == "result":
            shown = _check_shown(before, deal, _fair(event)["keys"], seeds, rounds)
            hands += shown if dice is None else 0
        state = after
    return {"rounds": rounds, "hands": hands, "anchor": anchor, "complete": dice is not None}


def _fair(event: Event) -> Any:
    """Return the part of an event that is about its dice; whatever it is, it is unchecked."""
    return cast(Any, event)["fair"]


def _check_deal(dice: FairDice, before: State, deal: Event, number: int) -> int:
    """Compare a deal with what follows from the secret; return how many hands it has."""
    game, again = before.game, before.record
    told = dice.deal(game, again)
    expected = {**game.format_deal(again), **told}
    found = {name: value for name, value in deal.items() if name not in ("n", "event")}
    for name in {**expected, **found}:
        fits = expected.get(name) == found.get(name)
        _require(fits, f"round {number}: {name} does not follow from the secret")
    return len(hosting_of(game.name).in_play(type(before)(again)))


def _check_shown(
    before: State, deal: Event, keys: list[str | None], seeds: list[str], number: int
) -> int:
    """Compare what everybody may know of a deal, and the hands whose keys are known.

    Return how many hands were compared. Where a key is not known, any other is put in its place.
    """
    fair = _fair(deal)
    known = {seat: bytes.fromhex(key) for seat, key in enumerate(keys) if key is not None}
    for seat, key in known.items():
        fits = sha(key) == fair["locks"][seat]
        _require(fits, f"round {number}: the key of seat {seat} does not belong to its lock")
    seat_keys = [known.get(seat, b"") for seat in range(before.players)]
    hosting = hosting_of(before.game.name)
    draws = KeyedDraws(seat_keys, bytes.fromhex(fair.get("start_key", "")), seeds)
    expected = cast(Event, {**hosting.deal(before.record, draws), "event": "deal"})
    fits = draws.used_start_key == ("start_key" in fair)
    _require(fits, f"round {number}: start_key is missing, or was not needed")
    for viewer in (SPECTATOR, *known):
        told = {**hosting.seen(deal, viewer)}
        for name in ("n", "fair"):
            told.pop(name, None)
        who = "what was dealt openly does" if viewer < 0 else f"the dice of seat {viewer} do"
        fits = told == hosting.seen(expected, viewer)
        _require(fits, f"round {number}: {who} not follow from the key")
    return len(known)


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise PerudoError(f"the dice were not fair: {problem}")
