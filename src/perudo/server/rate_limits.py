"""Rate limits, as token buckets."""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from perudo.server.errors import Refused
from perudo.server.settings import Settings

MESSAGE_SECONDS = 20.0
"""Window of the limits on messages of a connection and of an address."""
TALK_RATE = (6.0, 20.0)
"""Reactions and chat messages, and the window in seconds."""
CHANGE_RATE = (30.0, 600.0)
"""Changes of one table by one person: seats, pauses, absences, mutes."""
REQUEST_SECONDS = 60.0
"""Window of the limits on HTTP requests."""
SIGN_IN_SECONDS = 300.0
"""Window of the limits on sign-ins."""
GUEST_SECONDS = 3600.0
"""Window of the limit on new guests."""
FAILED_SIGN_IN = 5.0
"""Sign-ins as which a failed one counts."""
MOST_BUCKETS = 100_000


def network_of(address: str) -> str:
    """Return what limits count as one address: of IPv6, the /64 that one customer has.

    >>> network_of("2001:db8::1:2:3:4"), network_of("::ffff:192.0.2.7"), network_of("192.0.2.7")
    ('2001:db8::/64', '192.0.2.7', '192.0.2.7')
    """
    if ":" not in address:
        return address
    try:
        found = ipaddress.IPv6Address(address)
    except ValueError:  # a proxy may report anything
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), 64), strict=False))


def too_fast(what: str, limit: str, seconds: float) -> Refused:
    """Return the refusal of something that was done too often."""
    wait = max(1, math.ceil(seconds))
    return Refused("too_fast", f"{what}; try again in {wait} s", limit, seconds)


@dataclass(slots=True)
class Bucket:
    """A token bucket that refills completely in ``seconds``."""

    size: float
    seconds: float
    tokens: float
    at: float

    @staticmethod
    def full(rate: tuple[float, float], now: float) -> Bucket:
        """Return a full bucket."""
        return Bucket(rate[0], rate[1], rate[0], now)

    def take(self, now: float) -> bool:
        """Take a token, and return True if there was one."""
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.size / self.seconds)
        self.at = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    @property
    def wait(self) -> float:
        """The seconds from the last attempt to the next token."""
        return max(0.0, (1 - self.tokens) * self.seconds / self.size)


class Buckets:
    """A bucket for each name; drops the least recently used when there are too many."""

    def __init__(
        self, rate: tuple[float, float], now: Callable[[], float], limit: str, what: str
    ) -> None:
        self._rate = rate
        self._now = now
        self._limit = limit
        """The limit's name in the settings."""
        self._what = what
        """The beginning of the refusal."""
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, name: str) -> None:
        """Take a token from a name's bucket; raise if there is none."""
        bucket = self._bucket(name)
        if not bucket.take(self._now()):
            raise too_fast(self._what, self._limit, bucket.wait)

    def give_back(self, name: str, tokens: float = 1.0) -> None:
        """Put tokens back into a name's bucket; a negative number takes more, even on credit."""
        bucket = self._bucket(name)
        bucket.tokens = min(bucket.size, bucket.tokens + tokens)

    def _bucket(self, name: str) -> Bucket:
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket.full(self._rate, self._now())
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(name)
        return bucket


class Limits:
    """Limits on what comes from one address, and on failed sign-ins to one account."""

    def __init__(self, settings: Settings, now: Callable[[], float]) -> None:
        def limit(name: str, seconds: float, what: str) -> Buckets:
            rate = float(getattr(settings, name)), seconds
            return Buckets(rate, now, name, f"too many {what}")

        self.messages = limit("address_messages", MESSAGE_SECONDS, "messages from your address")
        self.requests = limit("address_requests", REQUEST_SECONDS, "requests from your address")
        self.files = limit("address_files", REQUEST_SECONDS, "requests from your address")
        self.guests = limit("address_guests", GUEST_SECONDS, "new guests from your address")
        self.sign_ins = limit("address_sign_ins", SIGN_IN_SECONDS, "sign-ins from your address")
        self.failures = limit("account_failures", SIGN_IN_SECONDS, "failed sign-ins to an account")
