"""Training of the champion: pieces, going on where it was interrupted, any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from perudo.agents.champion.habits import MODELS, Habits
from perudo.cli import app
from perudo.games.errors import PerudoError
from perudo.lab.champion_training import Effort, Training, pieces_before
from perudo.lab.engines import Engine, Here, never

TINY = Effort(runs=1, rounds=300, watched=300, searching=30, parts=1, rollouts=32, trial_games=1)
ABOUT = {"command": "a test", "commit": "none"}


class Interrupted(Here):
    """Does a few pieces, and is then interrupted."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.left = pieces

    def run(
        self,
        work: Callable[[Any], Any],
        pieces: Iterable[Any],
        stopped: Callable[[], bool] = never,
    ) -> Iterator[Any]:
        for found in super().run(work, pieces, stopped):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            yield found


def training(engine: Engine, place: Path, said: list[str]) -> Training:
    return Training(engine, place, TINY, 3, ("common",), said.append)


def test_it_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    whole = training(Here(), tmp_path / "whole", []).run(ABOUT).to_bytes()
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        training(Interrupted(3), tmp_path / "parts", said).run(ABOUT)
    assert len(list((tmp_path / "parts").glob("common-*.npz"))) == 3
    again = training(Here(), tmp_path / "parts", said).run(ABOUT).to_bytes()
    assert again == whole
    assert any("3 of 7 pieces are there already" in line for line in said)
    assert Habits.from_bytes(whole, "it").about == ABOUT


def test_every_model_has_its_pieces() -> None:
    pieces = pieces_before(TINY, ("common", "official"), 1)
    assert {piece.what for piece in pieces} == set(MODELS[:-1])
    assert len({piece.name for piece in pieces}) == len(pieces) == 14


def test_bad_wishes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words, reason in (
        (["--part", "some"], "part 'some' is not known"),
        (["--out", str(tmp_path / "file" / "below")], "cannot write to"),
        (["--engine", "steam"], "steam"),
    ):
        result = CliRunner().invoke(app, ["train", "champion", *words])
        assert isinstance(result.exception, PerudoError)
        assert reason in str(result.exception)
