"""``perudo train``: making what an agent has learnt, told as it goes on."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from perudo.games.errors import PerudoError
from perudo.lab.champion_training import QUICK, Effort, Training
from perudo.lab.engines import check_engine, open_engine
from perudo.lab.results import commit


def run_train(
    out: Path,
    place: Path,
    quick: bool,
    seed: int,
    workers: int | None,
    engine: str,
    address: str,
) -> int:
    """Train the champion for tables of three and more; returns the exit code."""
    if not out.parent.is_dir():
        raise PerudoError(f"cannot write to {out}: there is no directory {out.parent}")
    check_engine(engine, workers, address)
    about = {"command": shlex.join(["perudo", *sys.argv[1:]]), "commit": commit(), "seed": seed}
    with open_engine(engine, workers, address) as opened:
        effort = QUICK if quick else Effort()
        training = Training(
            opened, place, effort, seed, report=lambda line: print(line, flush=True)
        )
        content = training.run(about).to_bytes()
    out.write_bytes(content)
    print(f"{out}: {len(content) / 1e6:.2f} MB")
    return 0
