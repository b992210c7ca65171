"""All that is measured, part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perudo.games.errors import UnknownNameError
from perudo.lab.proof.bounds import bounds
from perudo.lab.proof.figures import Task
from perudo.lab.proof.matches import by_time, copies, four, six, two
from perudo.lab.proof.rounds import rounds
from perudo.lab.proof.settling import settling
from perudo.lab.proof.speed import speed

PARTS: dict[str, Callable[[], list[Task]]] = {
    "speed": speed,
    "rounds": rounds,
    "bound": bounds,
    "two": two,
    "four": four,
    "six": six,
    "copies": copies,
    "time": lambda: [settling(), *by_time()],
}
"""In the order in which they are run: what is soon there comes first."""


def tasks_of(parts: Sequence[str]) -> list[Task]:
    """What some parts measure, or all of them if none is named."""
    for part in parts:
        if part not in PARTS:
            raise UnknownNameError(f"there is no part {part!r}; there are: {', '.join(PARTS)}")
    return [task for part in PARTS if part in parts or not parts for task in PARTS[part]()]
