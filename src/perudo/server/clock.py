"""The two clocks of a server."""

from __future__ import annotations

import time as clocks
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """The time of day for people, and a monotonic clock for timers."""

    time: Callable[[], float] = clocks.time
    now: Callable[[], float] = clocks.monotonic
