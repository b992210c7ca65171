"""``perudo train``: train the champion, with progress."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from perudo.agents.champion import knowledge, two_player_book
from perudo.cli.options_of import options_of
from perudo.cli.shared import EngineSettings
from perudo.games.errors import PerudoError
from perudo.lab.champion import two_player_training
from perudo.lab.champion.training import QUICK, Effort, Training
from perudo.lab.champion.two_player_training import PRESETS, Progress, train_two_players
from perudo.lab.engines import check_engine, open_engine
from perudo.lab.experiments.results import commit
from perudo.lab.play import cores
from perudo.search.files.sealed import Header

PARTS = ("many", "two", "both")
QUICK_PRESETS = {"common:dice=2": two_player_training.Effort(200)}


@dataclass(frozen=True, kw_only=True)
class TrainSettings(EngineSettings):
    """Settings of the training."""

    agent: Annotated[str, typer.Argument()]
    """Agent to train; there is only one: champion."""
    out: Path = Path("champion")
    """Directory for the results; training resumes from its contents."""
    part: str = "both"
    """many (tables of three or more), two (tables of two) or both."""
    quick: bool = False
    """Train for minutes instead of hours, as a trial."""
    seed: int = 1
    """Random seed; it determines the result."""


@options_of(TrainSettings)
def train(settings: TrainSettings) -> int:
    """Train the champion. Ctrl-C stops the training; the same command resumes it."""
    out, part, quick, seed = settings.out, settings.part, settings.quick, settings.seed
    engine, workers, address = settings.engine, settings.workers, settings.address
    if settings.agent != "champion":
        raise PerudoError(f"only champion can be trained, not {settings.agent}")
    if part not in PARTS:
        raise PerudoError(f"unknown part {part!r}; there are: {', '.join(PARTS)}")
    check_engine(engine, workers, address)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PerudoError(f"cannot write to {out}: {error.strerror}") from None
    about: Header = {
        "command": shlex.join(["perudo", *sys.argv[1:]]),
        "commit": commit(),
        "seed": seed,
    }
    if part in ("many", "both"):
        with open_engine(engine, workers, address) as opened:
            effort = QUICK if quick else Effort()
            training = Training(opened, out / "pieces", effort, seed, report=_say)
            _keep(out / knowledge.FILE, training.run(about).to_bytes())
    if part in ("two", "both"):
        _train_two(out, quick, seed, workers, about)
    return 0


def _train_two(out: Path, quick: bool, seed: int, workers: int | None, about: Header) -> None:
    presets = QUICK_PRESETS if quick else PRESETS
    book = out / two_player_book.BOOK

    def report(progress: Progress) -> None:
        dice = " v ".join(str(count) for count in progress.dice)
        _say(f"{progress.seconds:6.0f} s  {progress.done} of {progress.wanted}: {dice}")

    train_two_players(presets, book, out / "rounds", about, seed, workers or cores(), report)
    _say(f"{book}: {book.stat().st_size / 1e6:.2f} MB")


def _keep(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _say(f"{path}: {len(content) / 1e6:.2f} MB")


def _say(line: str) -> None:
    print(line, flush=True)
