"""Token buckets: how much somebody may send."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

PLAYING_RATE = (100.0, 20.0)
"""Messages in so many seconds from a connection that plays."""
WATCHING_RATE = (50.0, 20.0)
ADDRESS_SECONDS = 20.0
"""In which all connections of one address together may send so many as the host has set."""
TALK_RATE = (6.0, 20.0)
"""Reactions and words."""
SIGN_IN_RATE = (10.0, 300.0)
"""Passwords and codes tried from one address."""
REQUEST_SECONDS = 60.0
"""The same for requests over HTTP."""
MOST_BUCKETS = 100_000


@dataclass
class Bucket:
    """So many tokens, refilled over so many seconds."""

    size: float
    seconds: float
    tokens: float
    at: float

    @staticmethod
    def full(rate: tuple[float, float], now: float) -> Bucket:
        """A bucket that has not been used."""
        return Bucket(rate[0], rate[1], rate[0], now)

    def take(self, now: float) -> bool:
        """Take a token, if there is one."""
        self.tokens = min(self.size, self.tokens + (now - self.at) * self.size / self.seconds)
        self.at = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


class Buckets:
    """A bucket for each of many names; the least recently used are forgotten."""

    def __init__(self, rate: tuple[float, float], now: Callable[[], float]) -> None:
        self._rate = rate
        self._now = now
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, name: str) -> bool:
        """Take a token from a name's bucket, if there is one."""
        now = self._now()
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket.full(self._rate, now)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(name)
        return bucket.take(now)
