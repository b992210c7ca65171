"""Settings and output that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import Ge, Interval
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid

from perudo.games import game_named
from perudo.games.game import Game

FAILED, INTERRUPTED = 2, 130
"""The exit codes after a failure and after Ctrl-C."""

Workers = Annotated[int | None, Interval(ge=1, le=256)]
Count = Annotated[int, Ge(1)]


@dataclass(frozen=True, kw_only=True)
class JsonSettings:
    """The format of the output."""

    json: bool = False
    """Print one JSON object."""


@dataclass(frozen=True, kw_only=True)
class RulesSettings:
    """The rules to play by."""

    rules: str | None = None
    """Rule preset, with options after a colon: official:calza=no."""
    option: list[str] = field(default_factory=list)
    """Change one rule: name=value. May be repeated."""

    def rules_of(self, game: Game) -> Any:
        """Return the game's rules: the preset with the changes."""
        text = self.rules or game.presets[0]
        if self.option:
            text += ("," if ":" in text else ":") + ",".join(self.option)
        return game.setting(text)


@dataclass(frozen=True, kw_only=True)
class GameSettings(RulesSettings):
    """The game to play, and its rules."""

    game: str = "perudo"
    """Game: perudo, king_up or any other game of the package."""

    def chosen(self) -> tuple[Game, Any]:
        """Return the game and its rules."""
        game = game_named(self.game)
        return game, self.rules_of(game)


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """The processes or machines to play on."""

    engine: str = "processes"
    """Engine to run on: processes or dask."""
    address: str = ""
    """Address of a Dask scheduler: tcp://host:8786."""
    workers: Workers = None
    """Number of processes; default: one per core."""


# --- output -------------------------------------------------------------------------------------
def new_grid(first: str, *headings: str) -> Grid:
    """Return a table without lines: text in the first column, numbers in the others."""
    grid = plain_grid()
    grid.add_column(first, overflow="ellipsis", no_wrap=True, max_width=34)
    for heading in headings:
        grid.add_column(heading, justify="right", no_wrap=True)
    return grid


def plain_grid(title: str | None = None) -> Grid:
    """Return an empty table without lines."""
    return Grid(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))


def percent(rate: float | None) -> str:
    """Format a rate in percent, or a dash if there is none."""
    return "-" if rate is None else f"{100 * rate:.1f} %"


def percent_interval(ends: list[float] | None) -> str:
    """Format an interval of rates in percent, or a dash if there is none."""
    return "-" if ends is None else f"{100 * ends[0]:.1f}-{100 * ends[1]:.1f}"


@contextmanager
def games_bar(total: int, completed: int = 0) -> Iterator[Callable[[int], None]]:
    """Yield a function that shows the games played in a progress bar; in a pipe it shows nothing.

    The bar appears at the function's first call, because agents may print while they get ready.
    """
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("games, left:"), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task("", total=total, completed=completed)

    def show(played: int) -> None:
        bar.start()
        bar.update(task, completed=played)

    try:
        yield show
    finally:
        bar.stop()
