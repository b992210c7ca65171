"""Figures of the champion's experiments: their shapes, and the file that keeps them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from perudo.games.errors import PerudoError
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.experiments.measures import Measure
from perudo.lab.experiments.results import commit, plain
from perudo.lab.play import cores


class Figure(BaseModel):
    """A measurement; its fields are written in their order, those that are not set left out."""

    model_config = ConfigDict(frozen=True)


class Share(Figure):
    """Games won."""

    games: int
    wins: float
    share: float
    ci95: tuple[float, float]

    @property
    def measure(self) -> Measure:
        """The share with its interval."""
        return Measure(self.share, *self.ci95)


class GamesWon(Figure):
    """Games that the first agent of a line-up won, all seats taken together."""

    command: str = ""
    """Plays one rotation of the seats; in the others the names move on."""
    seed: int = 0
    games: int
    wins: float
    share: float
    ci95: tuple[float, float]
    mean_ms: float
    by_seat: tuple[Share, ...] = ()
    rollouts: int = 0
    target_ms: int = 0
    call: float = 0.0
    opening: float = 0.0
    callers_tried: int = 0

    @property
    def measure(self) -> Measure:
        """The share with its interval."""
        return Measure(self.share, *self.ci95)


class Bound(Figure):
    """Dice that a local answer won a round, on average."""

    seed: int = 0
    rounds: int
    won: float
    ci95: tuple[float, float]
    won_by_seat: tuple[float, ...] = ()
    known_rounds: int = 0
    command: str = ""

    @property
    def measure(self) -> Measure:
        """The mean with its interval."""
        return Measure(self.won, *self.ci95)


class Exploitability(Figure):
    """Exact exploitability of a small round, or the reason why it was not computed."""

    command: str = ""
    exploitability: float | None
    why: str = ""
    information_sets: int = 0
    solved: str = ""


class DecisionTimes(Figure):
    """Milliseconds of decisions with so many dice each."""

    dice: int
    mean_ms: float
    p99_ms: float
    max_ms: float


class Speed(Figure):
    """Milliseconds of decisions at tables of one size."""

    seed: int = 0
    decisions: int
    max_ms: float
    by_dice: tuple[DecisionTimes, ...]


class Budget(Figure):
    """What decisions with one number of rollouts lose against the longest search."""

    rollouts: int
    mean_ms: float
    lost: float
    ci95: tuple[float, float]


class Settling(Figure):
    """What the same decisions lose with different budgets."""

    seed: int = 0
    decisions: int
    judging_rollouts: int
    points: tuple[Budget, ...]


Measured = GamesWon | Bound | Exploitability | Speed | Settling


class Provenance(Figure):
    """How long a figure took to measure, and with which sources."""

    seconds: float
    cores: int = 1
    commit: str


Kind = TypeVar("Kind", bound=Figure)


# --- measuring and keeping ----------------------------------------------------------------------
@dataclass(frozen=True)
class Task:
    """One figure to be measured."""

    name: str
    """Part and figure: ``two/common/observer``."""
    measure: Callable[[Conditions], Measured]


class FigureFile:
    """Figures by name; each is written to the file as soon as it is measured."""

    def __init__(
        self,
        path: Path | None = None,
        again: bool = False,
        report: Callable[[str, float], None] = lambda name, seconds: None,
    ) -> None:
        self._path, self._again, self._report = path, again, report
        self._texts: dict[str, str] = {}
        self.measured = 0
        if path is not None and path.is_file():
            try:
                stored = json.loads(path.read_text("utf-8"))
            except ValueError as error:
                raise PerudoError(f"{path} cannot be read: {error}") from None
            self._texts = {name: _text(figure) for name, figure in stored.items()}

    def names(self, prefix: str = "") -> list[str]:
        """Names of the figures that are there."""
        return [name for name in self._texts if name.startswith(prefix)]

    def find(self, kind: type[Kind], name: str) -> Kind | None:
        """The figure of this name, if it was measured."""
        text = self._texts.get(name)
        return None if text is None else kind.model_validate_json(text)

    def measure_missing(self, tasks: Iterable[Task], conditions: Conditions) -> None:
        """Measure what is missing, or everything if figures are to be measured again."""
        for task in tasks:
            if task.name not in self._texts or self._again:
                started = time.perf_counter()
                figure = task.measure(conditions)
                seconds = round(time.perf_counter() - started, 1)
                self._keep(task.name, figure, seconds, conditions.workers or cores())
                self._report(task.name, seconds)
                self.measured += 1

    def _keep(self, name: str, figure: Measured, seconds: float, workers: int) -> None:
        provenance = {"seconds": seconds, "cores": workers, "commit": commit()}
        self._texts[name] = _text(plain(figure.model_dump(exclude_unset=True) | provenance))
        if self._path is not None:
            lines = [f"{json.dumps(key)}: {self._texts[key]}" for key in sorted(self._texts)]
            whole = self._path.with_suffix(".new")
            whole.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
            whole.replace(self._path)


def _text(figure: object) -> str:
    return json.dumps(figure, ensure_ascii=False)
