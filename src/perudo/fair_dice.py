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
from typing import Any, cast

from perudo.games.errors import PerudoError
from perudo.games.game import Game, Payload
from perudo.games.log import Event
from perudo.games.operations import Record
from perudo.games.perudo.game import Deal
from perudo.games.perudo.layout import NOBODY, read_rules
from perudo.games.perudo.outcome import outcome_of
from perudo.record import MatchRecord

SECRET_BYTES = 32
_LARGEST_FAIR = 252
"""The limit of fair bytes, a multiple of six: this byte and higher ones are skipped."""


def sha(data: bytes) -> str:
    """Return the SHA-256 of some bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def derive(key: bytes, label: str) -> bytes:
    """Derive a key from another by HMAC-SHA256."""
    return hmac.new(key, label.encode(), hashlib.sha256).digest()


def _draws(key: bytes, label: str, seeds: Sequence[str]) -> Iterator[int]:
    """Yield uniform random integers from 0 to 251."""
    mixed = sha("\n".join(seeds).encode())
    block = 0
    while True:
        for byte in derive(key, f"{label} {block}{mixed}"):
            if byte < _LARGEST_FAIR:
                yield byte
        block += 1


def dice_of(key: bytes, count: int, seeds: Sequence[str]) -> str:
    """Return a seat's dice, sorted."""
    draws = _draws(key, "dice", seeds)
    return "".join(sorted(str(next(draws) % 6 + 1) for _ in range(count)))


class FairDice:
    """The dice of one game, from the server's secret and the players' seeds."""

    def __init__(self, secret: bytes, seeds: Sequence[str]) -> None:
        self._secret = secret
        self._seeds = list(seeds)
        self.anchor = sha(secret)

    def commit(self, number: int) -> str:
        """Return the commit of a round, which is published before the deal."""
        return sha(self._round_seed(number))

    def deal(self, game: Game, record: Record) -> Payload:
        """Roll the dice of all seats; return the part of the deal to publish."""
        number = int(record.round_number) + 1
        fair: dict[str, Any] = {"commit": self.commit(number), "next": self.commit(number + 1)}
        told: dict[str, Any] = {"fair": fair}
        if number == 1:
            fair.update({"anchor": self.anchor, "seeds": self._seeds})
        opener = int(record.opener)
        if opener == NOBODY:
            start_key = derive(self._round_seed(number), "start")
            fair["start_key"] = start_key.hex()
            opener, attempts = first_opener(record, start_key, self._seeds)
            if attempts:
                told["start_roll"] = attempts
        keys = [self._seat_key(number, seat) for seat in range(int(record.players))]
        fair["locks"] = [sha(key) for key in keys]
        hands = [
            dice_of(key, int(record.counts[seat]), self._seeds) for seat, key in enumerate(keys)
        ]
        game.replay_deal(record, Deal(round=number, opener=opener, dice=[*hands]))
        return cast(Payload, told)

    def settled(self, game: Game, record: Record) -> Payload:
        """Publish the keys of the hands that were shown."""
        outcome = outcome_of(record)
        assert outcome is not None
        number = int(record.round_number)
        keys = [
            self._seat_key(number, seat).hex() if hand else None
            for seat, hand in enumerate(outcome.hands)
        ]
        return cast(Payload, {"fair": {"keys": keys}})

    def ended(self, game: Game, record: Record) -> Payload:
        """Publish the secret."""
        return cast(Payload, {"fair": {"secret": self._secret.hex()}})

    def _round_seed(self, number: int) -> bytes:
        return derive(self._secret, f"round {number}")

    def _seat_key(self, number: int, seat: int) -> bytes:
        return derive(self._round_seed(number), f"seat {seat}")


def first_opener(
    record: Record, key: bytes, seeds: Sequence[str]
) -> tuple[int, list[list[int | None]]]:
    """Return the seat that opens the first round, and the attempts of the start roll, if any."""
    rules = read_rules(record)
    players = range(int(record.players))
    everybody = [seat for seat in players if record.counts[seat]]
    draws = _draws(key, "start", seeds)
    if rules.start_mode == "fixed":
        return everybody[0], []
    if rules.start_mode == "random":
        limit = _LARGEST_FAIR - _LARGEST_FAIR % len(everybody)
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


# --- checking -----------------------------------------------------------------------------------
def has_fair_dice(record: MatchRecord) -> bool:
    """Return true if a record has the data to check its dice."""
    return bool(record.events) and "fair" in record.events[0]


def check_dice(record: MatchRecord) -> dict[str, Any]:
    """Recompute every roll of a record; raise PerudoError if one does not follow from its commit.

    An unfinished match has no secret yet: then only the hands that were shown can be checked.
    """
    try:
        return _check_dice(record)
    except PerudoError:
        raise
    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
        problem = "the dice cannot be checked: a part of 'fair' is missing or unreadable"
        raise PerudoError(problem) from None


def _check_dice(record: MatchRecord) -> dict[str, Any]:
    first = _fair(record.events[0])
    anchor, seeds = first["anchor"], first["seeds"]
    secret = None
    if record.finished:
        secret = bytes.fromhex(_fair(record.events[-1])["secret"])
        _require(sha(secret) == anchor, "the secret does not belong to the anchor")
    checked = 0
    rounds = 0
    promised = None
    deal: dict[str, Any] = {}
    state = record.start_state()
    for event, after in record.replay():
        if event["event"] == "deal":
            deal, rounds = cast(dict[str, Any], event), rounds + 1
            told = deal["fair"]
            _require(
                promised in (None, told["commit"]),
                f"round {rounds}: the commit is not the announced one",
            )
            promised = told["next"]
            if rounds == 1 and "start_key" in told:
                key = bytes.fromhex(told["start_key"])
                opener, attempts = first_opener(state.record, key, seeds)
                fits = opener == deal["opener"] and attempts == deal.get("start_roll", [])
                _require(fits, "the start roll does not follow from its key")
            if secret is not None:
                checked += _check_round(FairDice(secret, seeds), state.record, game_deal=deal)
        elif event["event"] == "result":
            for seat, text in enumerate(_fair(event)["keys"]):
                if text is None:
                    continue
                key, dice = bytes.fromhex(text), deal["dice"][seat]
                _require(
                    sha(key) == deal["fair"]["locks"][seat]
                    and dice_of(key, len(dice), seeds) == dice,
                    f"round {rounds}: the dice of seat {seat} do not follow from their key",
                )
                checked += secret is None
        state = after
    return {"rounds": rounds, "hands": checked, "anchor": anchor, "complete": secret is not None}


def _fair(event: Event) -> Any:
    return cast(dict[str, Any], event)["fair"]


def _check_round(dice: FairDice, before: Record, game_deal: dict[str, Any]) -> int:
    from perudo.games.perudo import PERUDO

    number = int(before.round_number) + 1
    again = before.copy()
    told = dice.deal(PERUDO, again)
    expected = {**PERUDO.format_deal(again), **told}
    for name in ("dice", "opener", "fair", "start_roll"):
        _require(
            expected.get(name) == game_deal.get(name),
            f"round {number}: {name} does not follow from the secret",
        )
    return sum(bool(hand) for hand in game_deal["dice"])


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise PerudoError(f"the dice were not fair: {problem}")
