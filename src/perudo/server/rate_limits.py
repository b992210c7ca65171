"""Rate limits, as token buckets."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

PLAYING_RATE = (100.0, 20.0)
"""Messages from a connection that plays, and the window in seconds."""
WATCHING_RATE = (50.0, 20.0)
ADDRESS_SECONDS = 20.0
"""Window, in seconds, of the limit on messages from one address (``Settings.address_messages``)."""
TALK_RATE = (6.0, 20.0)
"""Reactions and chat messages."""
CHANGE_RATE = (30.0, 600.0)
"""Changes of one table by one person: seats, pauses, absences, mutes."""
SIGN_IN_RATE = (10.0, 300.0)
"""Passwords and recovery codes tried from one address."""
REQUEST_SECONDS = 60.0
"""Window, in seconds, of the limit on HTTP requests (``Settings.address_requests``)."""
MOST_BUCKETS = 100_000


@dataclass
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


class Buckets:
    """A bucket for each name; drops the least recently used when there are too many."""

    def __init__(self, rate: tuple[float, float], now: Callable[[], float]) -> None:
        self._rate = rate
        self._now = now
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, name: str) -> bool:
        """Take a token from a name's bucket, and return True if there was one."""
        now = self._now()
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket.full(self._rate, now)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(name)
        return bucket.take(now)
