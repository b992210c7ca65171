"""The order in which questions get a free AI process.

Play with people goes first. Of two callers the one who has used less processor time recently goes
first, so that nobody can keep others waiting by asking more. Costly questions of one caller run one
at a time, and all of them together leave a process free for the quick ones.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from perudo.server.ai.callers import Caller

COSTLY_SECONDS = 0.1
"""Mean processor time from which a kind of question counts as costly."""
HALF_LIFE_SECONDS = 30.0
"""The time in which recently used processor time counts half as much."""
LATEST_WEIGHT = 0.2
"""Weight of the latest question in the mean cost of its kind."""
MOST_KINDS, MOST_NAMES = 2_000, 20_000
"""Numbers of kinds of questions and of names to remember."""

Place = TypeVar("Place")


@dataclass(eq=False)
class Call(Generic[Place]):
    """A question that waits for a process, or is being answered."""

    kind: str
    """Questions of the same kind cost about the same: usually the AI's name."""
    caller: Caller
    turn: asyncio.Future[Place]
    """The process, once it is this question's turn."""
    costly: bool = False
    """True if it is expected to be costly, as long as its kind has not been measured."""
    preparing: bool = False
    """True if it loads an AI, which is costly but needed before anybody can play."""
    number: int = 0


@dataclass
class _Recent:
    """Processor time used recently; older time counts less."""

    seconds: float = 0.0
    at: float = -math.inf

    def now(self, now: float) -> float:
        return self.seconds * math.exp2((self.at - now) / HALF_LIFE_SECONDS)


@dataclass
class FairQueue(Generic[Place]):
    """The questions that wait, and what is known about callers and costs."""

    most_costly: int
    """Maximum number of costly questions that are being answered."""
    now: Callable[[], float]
    _waiting: list[Call[Place]] = field(default_factory=list)
    _answering: list[Call[Place]] = field(default_factory=list)
    """Costly questions that are being answered."""
    _costs: OrderedDict[str, float] = field(default_factory=OrderedDict)
    """Mean processor time by kind."""
    _recent: OrderedDict[str, _Recent] = field(default_factory=OrderedDict)
    _arrived: int = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, call: Call[Place]) -> None:
        """Let a question wait for its turn."""
        self._arrived += 1
        call.number = self._arrived
        self._waiting.append(call)

    def remove(self, call: Call[Place]) -> None:
        """Drop a question that nobody wants answered any more."""
        self._waiting.remove(call)

    @property
    def ready(self) -> bool:
        """True if a question waits for nothing but a process."""
        return next(self._ready(), None) is not None

    def take(self) -> Call[Place] | None:
        """Remove and return the question whose turn it is; None if none may be answered now."""
        call = min(self._ready(), key=self._rank, default=None)
        if call is not None:
            self._waiting.remove(call)
            call.costly = self._is_costly(call)
            if call.costly or call.preparing:
                self._answering.append(call)
        return call

    def ended(self, call: Call[Place], seconds: float) -> None:
        """Note that a question has been answered, or has failed, after this much processor time."""
        self.dropped(call)
        known = self._costs.pop(call.kind, None)
        mean = seconds if known is None else known + LATEST_WEIGHT * (seconds - known)
        self._costs[call.kind] = mean
        if len(self._costs) > MOST_KINDS:
            self._costs.popitem(last=False)
        self.used(call.caller, seconds)

    def dropped(self, call: Call[Place]) -> None:
        """Note that a question whose turn it was is not asked after all."""
        if call in self._answering:
            self._answering.remove(call)

    def used(self, caller: Caller, seconds: float) -> None:
        """Note that a caller has used processor time."""
        now = self.now()
        for name in caller.names:
            recent = self._recent.pop(name, _Recent())
            self._recent[name] = _Recent(recent.now(now) + seconds, now)
        while len(self._recent) > MOST_NAMES:
            self._recent.popitem(last=False)

    def recent(self, caller: Caller) -> list[float]:
        """Return the processor time that each of a caller's names has used recently."""
        now, nothing = self.now(), _Recent()
        return [self._recent.get(name, nothing).now(now) for name in caller.names]

    def _rank(self, call: Call[Place]) -> tuple[int, float, float, int]:
        recent = self.recent(call.caller) or [0.0]
        return call.caller.urgency, max(recent), recent[0], call.number

    def _ready(self) -> Iterator[Call[Place]]:
        """Return the questions that may be answered now."""
        busy = {name for call in self._answering for name in call.caller.names}
        full = sum(call.costly for call in self._answering) >= self.most_costly
        for call in self._waiting:
            costly = self._is_costly(call)
            if costly and full:
                continue
            if (costly or call.preparing) and not busy.isdisjoint(call.caller.names):
                continue
            yield call

    def _is_costly(self, call: Call[Place]) -> bool:
        if call.preparing:
            return False
        mean = self._costs.get(call.kind)
        return call.costly if mean is None else mean >= COSTLY_SECONDS
