"""Statistics of stored games with people, for the papers' tables with a human player."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perudo.agents.registry import AGENTS
from perudo.games.errors import PerudoError
from perudo.lab.experiments.measures import Measure, rate
from perudo.record import MatchRecord

PERSON = "the person"
NEEDS_PEOPLE = "needs people"


@dataclass
class Tally:
    """A player's statistics over all records."""

    games: int = 0
    wins: float = 0.0
    calls: int = 0
    right_calls: int = 0
    dice_left: int = 0
    """The dice left in the games won."""

    @property
    def win_rate(self) -> Measure | None:
        """The share of games won, in percent."""
        return rate(self.wins, self.games)

    @property
    def call_accuracy(self) -> Measure | None:
        """The share of dudos that were right, in percent."""
        return rate(self.right_calls, self.calls)

    @property
    def mean_dice_left(self) -> float | None:
        """The mean number of dice left in a game won."""
        return self.dice_left / self.wins if self.wins else None


Tallies = dict[str, Tally]
"""Statistics by player."""


def is_agent(name: str) -> bool:
    """Return True for an agent's name in a record: ``l-dumb``, ``l-dumb (B)``, ``dumb:prob=.4``.

    >>> is_agent("l-dumb (B)"), is_agent("Ann")
    (True, False)
    """
    return name.partition(" ")[0].partition(":")[0] in AGENTS


def agent_of(name: str) -> str:
    """Return an agent's name without its seat: ``l-dumb`` for ``l-dumb (B)``."""
    return name.partition(" ")[0]


def read_records(place: Path) -> list[MatchRecord]:
    """Return every finished match in a directory, ordered by file name."""
    if not place.is_dir():
        raise PerudoError(
            f"--records {place} should be a directory of files from 'perudo play --save'"
        )
    found = []
    for path in sorted(place.glob("*.jsonl")):
        try:
            found.append(MatchRecord.load(path, unfinished=True))
        except PerudoError as error:
            raise PerudoError(f"{path.name}: {error}") from None
    return [record for record in found if record.finished]


def duels(records: list[MatchRecord], rules: Callable[[MatchRecord], bool], agent: str) -> Tallies:
    """Return the statistics of a person and an agent in their two-player games with some rules."""
    tallies = {PERSON: Tally(), agent: Tally()}
    for record in records:
        names = [agent_of(name) if is_agent(name) else PERSON for name in record.players]
        if record.game.name == "perudo" and sorted(names) == sorted(tallies) and rules(record):
            _add(record, names, tallies)
    return tallies


def _add(record: MatchRecord, names: list[str], tallies: Tallies) -> None:
    counters = record.game.counters
    by_seat = np.zeros((len(names), len(counters)), np.int64)
    for event, state in record.replay():
        if event["event"] == "result":
            record.game.operations.tally(state.record, by_seat)
    payoffs = record.events[-1]["payoffs"]
    for seat, name in enumerate(names):
        tally, won = tallies[name], payoffs[seat] == max(payoffs)
        tally.games += 1
        tally.wins += won
        tally.calls += int(by_seat[seat, counters.index("dudos")])
        tally.right_calls += int(by_seat[seat, counters.index("dudos_right")])
        tally.dice_left += int(by_seat[seat, counters.index("dice_left_when_won")])
