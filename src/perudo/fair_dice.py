"""Provably fair dice: the server cannot choose them, and everybody can check them afterwards.

Before the players take their seats the server draws a secret and publishes its SHA-256, the
*anchor*. Each player adds a seed afterwards. The secrets of a series are a chain: the secret of a
game is the SHA-256 of the next game's secret, and so the next game's anchor, and the first anchor
commits to all of them. The secret determines a seed for every round,
which determines a key for every seat; a seat's key and all players' seeds determine its dice:

    round seed = HMAC-SHA256(secret, "round R")        commit = SHA-256(round seed)
    seat key   = HMAC-SHA256(round seed, "seat S")     lock   = SHA-256(seat key)
    dice       = bytes of HMAC-SHA256(seat key, "dice BLOCK" + SHA-256(seeds)) below 252, mod 6, + 1

The server publishes the commit of a round with the deal before it (the first one at the game's
start), the locks with the deal, the keys of exactly the hands that were shown with the result, and
the secret at the end. A player who noted an anchor before sending a random seed can check both
(``Noted``): then the server cannot have tried secrets until it liked the dice. But it does know the
dice: it could leak them, abort a game that it dislikes, or help a player to choose a seed, and no
cryptography prevents that (docs/protocol.md, "Fair dice").
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
LONGEST_CHAIN = 10_000
"""Games after which a check of an anchor against an earlier one gives up."""


class FairDeal(TypedDict, total=False):
    """Commitments in the log of a deal."""

    commit: str
    next: str
    """Commit of the next round."""
    anchor: str
    seeds: list[str]
    later_games: int
    """The number of later games that the anchor commits to as well."""
    start_key: str
    """Key of the draws that everybody may check at once."""
    locks: list[str]


class UnfairDiceError(PerudoError):
    """The dice of a record are not those that were promised."""


@dataclass(frozen=True)
class Noted:
    """Notes of a player from before the games, to check the records with."""

    anchors: tuple[str, ...] = ()
    """Anchors in hexadecimal, each of the game that was next then."""
    seeds: tuple[str, ...] = ()
    """The player's own seeds."""


class Checked(TypedDict):
    """Result of checking the dice of a record."""

    rounds: int
    hands: int
    """Hands that were recomputed."""
    anchor: str
    seeds: list[str]
    """The players' seeds, by seat."""
    later_games: int
    complete: bool
    """True if the secret is known, so that every hand was recomputed."""


def sha(data: bytes) -> str:
    """Return the SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def derive(key: bytes, label: str) -> bytes:
    """Return a key that follows from a key."""
    return hmac.new(key, label.encode(), hashlib.sha256).digest()


def chain_to(last: bytes, games: int) -> list[bytes]:
    """Return the secrets of a chain of games, whose last game has this one."""
    found = [last]
    while len(found) < games:
        found.append(hashlib.sha256(found[-1]).digest())
    return found[::-1]


def games_between(earlier: str, later: str) -> int | None:
    """Return the number of games from an anchor to a later one of its chain; None: of another."""
    anchor = bytes.fromhex(later)
    for games in range(LONGEST_CHAIN):
        if anchor.hex() == earlier:
            return games
        anchor = hashlib.sha256(anchor).digest()
    return None


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
    later_games: int = 0
    """The number of later games whose secrets this one follows from."""

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
            if self.later_games:
                fair["later_games"] = self.later_games
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


def check_games(records: Sequence[MatchRecord], noted: Noted) -> list[Checked | None]:
    """Check the records of games of one table, in their order; None: it has no fair dice.

    Raise ``UnfairDiceError`` where they do not fit what a player noted, or each other.
    """
    found: list[Checked | None] = []
    for number, record in enumerate(records, 1):
        try:
            found.append(_check_noted(record, noted, found[-1] if found else None))
        except UnfairDiceError as error:
            if len(records) == 1:
                raise
            raise UnfairDiceError(f"game {number}: {error}") from None
    for seed in noted.seeds:
        used = any(each is not None and seed in each["seeds"] for each in found)
        _require(used, f"the seed {seed} is not among the players' seeds")
    for anchor in noted.anchors:
        used = any(each and games_between(anchor, each["anchor"]) is not None for each in found)
        _require(used, f"no game was dealt from the anchor {anchor}")
    return found


def _check_noted(record: MatchRecord, noted: Noted, before: Checked | None) -> Checked | None:
    """Check a record, what a player noted, and its link to the game before it."""
    if not has_fair_dice(record):
        promised = bool(noted.anchors or noted.seeds or (before and before["later_games"]))
        _require(not promised, "the record lacks what its dice could be checked with")
        return None
    checked = check_dice(record)
    anchor = checked["anchor"]
    if before is not None and before["later_games"]:
        games = games_between(before["anchor"], anchor)
        linked = games is not None and games == before["later_games"] - checked["later_games"] > 0
        _require(linked, "its anchor does not follow from the anchor of the game before")
    if noted.anchors:
        known = any(games_between(each, anchor) is not None for each in noted.anchors)
        _require(known, f"it was dealt from the anchor {anchor}, not from the one that was noted")
    if noted.seeds:
        used = any(seed in checked["seeds"] for seed in noted.seeds)
        _require(used, "none of the seeds that were noted is among the players' seeds")
    return checked


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
        raise UnfairDiceError(problem) from None


def _check_dice(record: MatchRecord) -> Checked:
    first = _fair(record.events[0])
    anchor, seeds = first["anchor"], first["seeds"]
    later_games = first.get("later_games", 0)
    readable = len(bytes.fromhex(anchor)) == SECRET_BYTES and isinstance(later_games, int)
    _require(readable, "the anchor cannot be read")
    _require(
        not record.start,
        "the game did not begin with dice that were drawn, but from a chosen position",
    )
    _require(len(seeds) == len(record.players), "there is not one seed for each player")
    dice = None
    if record.finished:
        secret = bytes.fromhex(_fair(record.events[-1])["secret"])
        _require(sha(secret) == anchor, "the secret does not belong to the anchor")
        dice = FairDice(secret, seeds, later_games)
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
    return {
        "rounds": rounds,
        "hands": hands,
        "anchor": anchor,
        "seeds": seeds,
        "later_games": later_games,
        "complete": dice is not None,
    }


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
        raise UnfairDiceError(f"the dice were not fair: {problem}")
