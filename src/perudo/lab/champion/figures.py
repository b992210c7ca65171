"""The figures of the champion's experiments: their schemas, and the file that keeps them."""

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
    """A measurement; the file has its fields in order, without the ones that were not set."""

    model_config = ConfigDict(frozen=True)


class Share(Figure):
    """Games won, with their share."""

    games: int
    wins: float
    share: float
    ci95: tuple[float, float]

    @property
    def measure(self) -> Measure:
        """The share of games won, with its interval."""
        return Measure(self.share, *self.ci95)


class GamesWon(Figure):
    """The games that the first agent of a line-up won, over all seats."""

    command: str = ""
    """The command that plays the first rotation; for the others the names move on."""
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
        """The share of games won, with its interval."""
        return Measure(self.share, *self.ci95)


class Bound(Figure):
    """The dice that a local response won per round, on average."""

    seed: int = 0
    rounds: int
    won: float
    ci95: tuple[float, float]
    won_by_seat: tuple[float, ...] = ()
    known_rounds: int = 0
    command: str = ""

    @property
    def measure(self) -> Measure:
        """The mean winnings with their interval."""
        return Measure(self.won, *self.ci95)


class Exploitability(Figure):
    """The exact exploitability of a small round, or the reason why it was not computed."""

    command: str = ""
    exploitability: float | None
    why: str = ""
    information_sets: int = 0
    solved: str = ""


class DecisionTimes(Figure):
    """The times of decisions at a number of dice each, in milliseconds."""

    dice: int
    mean_ms: float
    p99_ms: float
    max_ms: float


class Speed(Figure):
    """The times of decisions at tables of one size, in milliseconds."""

    seed: int = 0
    decisions: int
    max_ms: float
    by_dice: tuple[DecisionTimes, ...]


class Budget(Figure):
    """The loss of decisions with a number of rollouts, compared with the longest search."""

    rollouts: int
    mean_ms: float
    lost: float
    ci95: tuple[float, float]


class Settling(Figure):
    """The losses of the same decisions with different budgets."""

    seed: int = 0
    decisions: int
    judging_rollouts: int
    points: tuple[Budget, ...]


Measured = GamesWon | Bound | Exploitability | Speed | Settling


class Provenance(Figure):
    """The time a figure took to measure, and the commit of the sources."""

    seconds: float
    cores: int = 1
    commit: str


Kind = TypeVar("Kind", bound=Figure)


# --- measuring and keeping ----------------------------------------------------------------------
@dataclass(frozen=True)
class Task:
    """A figure to measure."""

    name: str
    """The part and the figure: ``two/common/observer``."""
    measure: Callable[[Conditions], Measured]


class FigureFile:
    """A file of figures by name; each is written as soon as it is measured."""

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
        """Return the names of the measured figures."""
        return [name for name in self._texts if name.startswith(prefix)]

    def find(self, kind: type[Kind], name: str) -> Kind | None:
        """Return the figure of this name, or None if it was not measured."""
        text = self._texts.get(name)
        return None if text is None else kind.model_validate_json(text)

    def measure_missing(self, tasks: Iterable[Task], conditions: Conditions) -> None:
        """Measure the missing figures, or all of them if ``again`` was set."""
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
