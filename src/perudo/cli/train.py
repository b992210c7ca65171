"""``perudo train``: making what an agent has learnt, told as it goes on."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from perudo.agents.champion import knowledge, two_player_book
from perudo.games.errors import PerudoError
from perudo.lab.champion import two_player_training
from perudo.lab.champion.training import QUICK, Effort, Training
from perudo.lab.champion.two_player_training import PRESETS, Progress, train_two_players
from perudo.lab.engines import check_engine, open_engine
from perudo.lab.experiments.results import commit
from perudo.lab.play import cores

PARTS = ("many", "two", "both")
QUICK_PRESETS = {"common:dice=2": two_player_training.Effort(200)}


def run_train(
    out: Path,
    part: str,
    quick: bool,
    seed: int,
    workers: int | None,
    engine: str,
    address: str,
) -> int:
    """Train the champion; returns the exit code."""
    if part not in PARTS:
        raise PerudoError(f"part {part!r} is not known; there are: {', '.join(PARTS)}")
    check_engine(engine, workers, address)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PerudoError(f"cannot write to {out}: {error.strerror}") from None
    about = {"command": shlex.join(["perudo", *sys.argv[1:]]), "commit": commit(), "seed": seed}
    if part in ("many", "both"):
        with open_engine(engine, workers, address) as opened:
            effort = QUICK if quick else Effort()
            training = Training(opened, out / "pieces", effort, seed, report=_say)
            _keep(out / knowledge.FILE, training.run(about).to_bytes())
    if part in ("two", "both"):
        _train_two(out, quick, seed, workers, about)
    return 0


def _train_two(
    out: Path, quick: bool, seed: int, workers: int | None, about: dict[str, Any]
) -> None:
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
