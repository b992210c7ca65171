"""Training of the champion: pieces, going on where it was interrupted, any number of workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from perudo.agents.champion.knowledge import Habits
from perudo.agents.champion.match_worth import FIRST
from perudo.agents.champion.player_models import MODELS, OWN, WEIGHT_COUNT
from perudo.cli.app import app
from perudo.games.errors import PerudoError
from perudo.games.perudo.state import PerudoState
from perudo.lab.champion.learning import Adam, Watched, fit, judge
from perudo.lab.champion.match_worth import WIDTH, learn_match_worth
from perudo.lab.champion.training import (
    Effort,
    Piece,
    Training,
    do_piece,
    fit_family,
    pieces_of,
    unpacked,
)
from perudo.lab.engine import Engine, InProcess, never
from perudo.search.files.sealed import Header

TINY = Effort(generations=2, quick=2000, slow=300, parts=3, rollouts=32, epochs=1, trial_games=1)
ABOUT: Header = {"command": "a test", "commit": "none"}


class Interrupted(InProcess):
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
    whole = training(InProcess(), tmp_path / "whole", []).run(ABOUT).to_bytes()
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        training(Interrupted(3), tmp_path / "parts", said).run(ABOUT)
    assert len(list((tmp_path / "parts").glob("common-*.npz"))) == 3
    again = training(InProcess(), tmp_path / "parts", said).run(ABOUT).to_bytes()
    assert again == whole
    assert any("3 of 4 pieces are done already" in line for line in said)
    assert Habits.from_bytes(whole, "it").about == ABOUT
    placed = [line for line in said if "on the ladder" in line]
    assert all(f"generation {1 + n}" in line for n, line in zip(range(2), placed, strict=True))


def test_every_generation_has_its_pieces() -> None:
    first = pieces_of(TINY, 0, None, ("common", "official"), 1)
    assert len({piece.name for piece in first}) == len(first) == 8
    assert not any(piece.habits for piece in first)
    found = [(piece, do_piece(piece)[1]) for piece in first if piece.family == "common"]
    family, log_chances = fit_family(found, 1, 1)
    assert np.isnan(log_chances[OWN])  # nobody has seen the champion yet
    assert set(np.concatenate([part["kinds"] for _, part in found])) == set(range(OWN))
    habits = Habits({"common": family}, ABOUT)
    (piece, *_) = pieces_of(TINY, 1, habits, ("common",), 1)
    seen = do_piece(piece)[1]["kinds"]
    assert 0.1 < (seen == OWN).mean() < 0.5


def decisions(family: str, count: int) -> Watched:
    found = do_piece(Piece(family, "quick", 0, 0, count, 5))[1]
    kinds, saids, rounds = (found[name].astype(int) for name in ("kinds", "saids", "rounds"))
    return Watched(unpacked(found["views"]), kinds, saids, rounds)


def test_views_come_back_as_they_were() -> None:
    views, kinds, saids, _ = decisions("official", 500)
    assert len(views) == len(kinds) == len(saids) == 500
    assert set(kinds) <= {MODELS.index(name) for name in MODELS if "pomcp" not in name}
    for view, said in zip(views, saids, strict=True):
        assert said in PerudoState(view).legal_actions.codes


def test_slopes_are_those_of_the_likelihood() -> None:
    seen = decisions("official", 64)
    weights = np.random.default_rng(1).normal(0.0, 0.2, WEIGHT_COUNT).astype(np.float32)
    log_chances = np.zeros(len(seen.views))

    def likelihood(of: Any) -> float:
        judge(seen, of, log_chances)
        return float(log_chances.mean())

    before = likelihood(weights)
    # One step over all decisions goes by the rate against the sign of each weight's slope.
    stepped = weights.copy()
    means, squares = np.zeros((2, WEIGHT_COUNT), np.float32)
    everything = np.arange(len(seen.views))
    fit(seen, everything, Adam(stepped, means, squares), 0, len(seen.views), 1e-3)
    assert likelihood(stepped) > before
    signs = np.sign(weights - stepped)
    for place in np.random.default_rng(2).choice(WEIGHT_COUNT, 60, replace=False):
        up, down = weights.copy(), weights.copy()
        up[place] += 0.01
        down[place] -= 0.01
        slope = likelihood(down) - likelihood(up)
        if abs(slope) > 1e-4:
            assert np.sign(slope) == signs[place]


def test_standings_follow_from_how_rounds_end() -> None:
    """Whoever opens loses twice as often as each other, and nobody gains: known exactly."""
    chance = np.random.default_rng(1)
    rounds = np.zeros((60_000, WIDTH), np.int64)
    for row in rounds:
        row[0] = chance.integers(2, 7)
        row[1 : row[0] + 1] = chance.integers(1, 6, row[0])
        losing = np.ones(row[0])
        losing[0] = 2.0
        row[-1] = 1 + chance.choice(row[0], p=losing / losing.sum())
    worth = learn_match_worth(rounds)
    for players in range(2, 7):
        table = worth[FIRST[players] : FIRST[players + 1]].reshape(-1, players)
        assert table.sum(axis=1) == pytest.approx(1.0)
    # One die each: the opener loses with 2/3. Three players: then the next opens among two.
    assert worth[FIRST[2]] == pytest.approx(1 / 3, abs=0.02)
    three = worth[FIRST[3] : FIRST[3] + 3]
    assert three == pytest.approx([0.25, 1 / 3, 5 / 12], abs=0.02)


def test_bad_wishes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for words, reason in (
        (["--part", "some"], "unknown part 'some'"),
        (["--out", str(tmp_path / "file" / "below")], "cannot write to"),
        (["--engine", "steam"], "steam"),
    ):
        result = CliRunner().invoke(app, ["train", "champion", *words])
        assert isinstance(result.exception, PerudoError)
        assert reason in str(result.exception)
