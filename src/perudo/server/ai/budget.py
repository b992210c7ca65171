"""Processor time of the AIs: how much each person, and each address of guests, may use.

Every person has a share that is used up by AIs' decisions and refills evenly within an hour. Guests
cost nothing, so those of one address have another share in common. The database keeps what has been
used, so that a restart gives nothing back. The address of a person is kept in memory only; what an
address has used is stored under its hash, without the people.
"""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import logging
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from perudo.games.errors import PerudoError
from perudo.server.ai.callers import Caller, Payer, Urgency
from perudo.server.clock import Clock
from perudo.server.db import schema
from perudo.server.db.store import Store
from perudo.server.errors import Refused
from perudo.server.people.people import Person
from perudo.server.settings import Settings

HOUR_SECONDS = 3600.0
FRESH_SHARE = 0.05
"""Part of a share that must be there before anything new begins, so that it can go on a while."""
MOST_DEBT = 2.0
"""Maximum of what is counted as used, in shares, so that nobody has to wait for over an hour."""
SAVE_SECONDS = 5.0
"""Interval at which what has been used is saved."""
OVERLAP_SECONDS = 60.0
"""Margin for the clocks of several processes."""
MOST_ADDRESSES = 50_000
PERSON, ADDRESS = "person", "address"
LIMITS = {PERSON: "ai_seconds_per_person", ADDRESS: "ai_seconds_per_address"}

log = logging.getLogger("perudo.budget")
ai_time = schema.ai_time


@dataclass(frozen=True)
class Shortage:
    """A share that is used up."""

    limit: str
    """The setting that limits it."""
    seconds: float
    """The time until there is enough again."""

    @property
    def refusal(self) -> Refused:
        """The answer to whoever wants more."""
        whose = "your share" if self.limit == LIMITS[PERSON] else "the share of your address"
        problem = f"{whose} of the AIs' processor time is used up; try again later"
        return Refused("quota", problem, limit=self.limit, seconds=self.seconds)


@dataclass
class _Used:
    seconds: float = 0.0
    at: float = 0.0
    unsaved: float = 0.0
    """The part that the database does not know yet."""


class Budget:
    """The shares of everybody, as far as this process knows."""

    def __init__(self, store: Store, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._sizes = {
            PERSON: settings.ai_seconds_per_person,
            ADDRESS: settings.ai_seconds_per_address,
        }
        self._others = settings.redis is not None
        """True if other processes use the database."""
        self._clock = clock
        self._used: dict[str, _Used] = {}
        self._addresses: OrderedDict[str, str] = OrderedDict()
        """The last address of each guest, hashed."""
        self._read_at = 0.0
        self.refused = 0
        """Number of requests refused."""

    # --- who pays -------------------------------------------------------------------------------
    def saw(self, person: Person, address: str) -> None:
        """Note the address of a guest."""
        if person.kind == "guest":
            self._addresses[person.id] = f"{ADDRESS}:{hashed_network(address)}"
            self._addresses.move_to_end(person.id)
            if len(self._addresses) > MOST_ADDRESSES:
                self._addresses.popitem(last=False)

    def caller(self, payer: Payer, urgency: Urgency = Urgency.PEOPLE) -> Caller:
        """Return the caller of a question for which a person pays."""
        names = [f"{PERSON}:{payer.person}"]
        if payer.guest and payer.person in self._addresses:
            names.append(self._addresses[payer.person])
        return Caller(tuple(names), urgency)

    def charge(self, caller: Caller, seconds: float) -> None:
        """Count processor time that a caller's question has used."""
        now = self._clock.time()
        for name in caller.names:
            used = self._used.setdefault(name, _Used())
            used.seconds = self._now_used(name, now) + seconds
            used.at = now
            used.unsaved += seconds

    # --- what is left ---------------------------------------------------------------------------
    def shortage(self, payer: Payer, fresh: bool = False) -> Shortage | None:
        """Return the share that a person has used up, or None; ``fresh``: to begin something."""
        now = self._clock.time()
        for name in self.caller(payer).names:
            kind = name.partition(":")[0]
            size = self._sizes[kind]
            used, enough = self._now_used(name, now), size * (1.0 - FRESH_SHARE)
            if used > (enough if fresh else size):
                return Shortage(LIMITS[kind], (used - enough) * HOUR_SECONDS / size)
        return None

    def require(self, person: Person) -> None:
        """Raise if a person may not begin anything that needs AIs."""
        short = self.shortage(payer_of(person), fresh=True)
        if short is not None:
            self.refused += 1
            raise short.refusal

    def _now_used(self, name: str, now: float) -> float:
        used = self._used.get(name)
        return 0.0 if used is None else self._left_over(name, used.seconds, now - used.at)

    def _left_over(self, name: str, seconds: float, since: float) -> float:
        """Return how much still counts of what was used some time ago."""
        size = self._sizes[name.partition(":")[0]]
        return max(min(seconds, MOST_DEBT * size) - max(since, 0.0) * size / HOUR_SECONDS, 0.0)

    # --- the database ---------------------------------------------------------------------------
    async def load(self) -> None:
        """Read what has been used before this process started."""
        self._read(await self._store.read(lambda connection: _rows(connection, 0.0)))

    async def keep(self) -> None:
        """Save what is used, every few seconds, as long as the server runs."""
        while True:
            await asyncio.sleep(SAVE_SECONDS)
            await self.save()

    async def save(self) -> None:
        """Add what has been used to the database, and read what other processes have added."""
        try:
            await self._save(self._clock.time())
        except PerudoError as error:  # it is saved the next time
            log.warning("the AIs' processor time cannot be saved: %s", error)

    async def _save(self, now: float) -> None:
        new = {name: used.unsaved for name, used in self._used.items() if used.unsaved}
        if not new and not self._others:
            return
        rows = await self._store.write(partial(self._add, new=new, now=now))
        for name, seconds in new.items():
            self._used[name].unsaved -= seconds
        self._read(rows)
        for name in [name for name in self._used if not self._now_used(name, now)]:
            if not self._used[name].unsaved:
                del self._used[name]

    def _add(self, connection: Connection, new: dict[str, float], now: float) -> list[_Row]:
        for name, seconds in new.items():
            row = connection.execute(sa.select(ai_time).where(ai_time.c.name == name)).first()
            before = 0.0 if row is None else self._left_over(name, row.seconds, now - row.at)
            values = {"seconds": before + seconds, "at": now}
            if row is None:
                connection.execute(ai_time.insert().values(name=name, **values))
            else:
                connection.execute(ai_time.update().where(ai_time.c.name == name).values(**values))
        over = now - MOST_DEBT * HOUR_SECONDS  # by then every share is full again
        connection.execute(ai_time.delete().where(ai_time.c.at < over))
        return _rows(connection, self._read_at - OVERLAP_SECONDS)

    def _read(self, rows: list[_Row]) -> None:
        for name, seconds, at in rows:
            if name.partition(":")[0] not in self._sizes:
                continue
            used = self._used.setdefault(name, _Used())
            used.seconds, used.at = seconds + used.unsaved, at
        self._read_at = self._clock.time()


_Row = tuple[str, float, float]


def payer_of(person: Person) -> Payer:
    """Return who pays for a person: the owner of a bot, else the person."""
    return Payer(person.answerable, person.kind == "guest")


def _rows(connection: Connection, since: float) -> list[_Row]:
    query = sa.select(ai_time.c.name, ai_time.c.seconds, ai_time.c.at).where(ai_time.c.at >= since)
    return [(row.name, row.seconds, row.at) for row in connection.execute(query)]


def hashed_network(address: str) -> str:
    """Return a hash of an address; of IPv6 the first 64 bits, which one customer has."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        network = address
    else:
        mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
        bits = 64 if parsed.version == 6 and mapped is None else 32
        network = str(ipaddress.ip_network(f"{mapped or parsed}/{bits}", strict=False))
    return hashlib.sha256(network.encode()).hexdigest()[:24]
