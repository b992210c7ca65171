"""Tournaments: fair schedules, the same table however they are played, nothing lost or doubled."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from perudo.cli.app import app
from perudo.cli.contestants import contestant
from perudo.cli.shared import INTERRUPTED
from perudo.cli.tournament import TournamentSettings, enter_tournament, run_tournament
from perudo.games.errors import AgentError, PerudoError
from perudo.lab.engine import Engine, InProcess, never
from perudo.lab.engines import Processes
from perudo.lab.tournament import ranking
from perudo.lab.tournament import run as tournament_run
from perudo.lab.tournament.ranking import summary
from perudo.lab.tournament.report import page
from perudo.lab.tournament.run import Run
from perudo.lab.tournament.schedule import Schedule, rotated
from perudo.lab.tournament.store import Games, Store
from perudo.lab.tournament.summaries import Summary, TournamentData
from perudo.lab.tournament.tournament import DEALS_WITH_MEMORY, Tournament

FOUR = ("probabilistic", "random:call=0.5", "random", "heuristic-max")


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of ratings are not what these tests look at."""
    monkeypatch.setattr(ranking, "SAMPLES", 10)


def play(
    directory: Path,
    tournament: Tournament,
    blocks: int,
    engine: Engine | None = None,
    most: int | None = None,
) -> Summary:
    """Play what is missing, ``most`` stints of it; returns all figures."""
    with Store(directory, tournament.identity()) as store:
        stints: list[Games] = []
        stopped = never if most is None else lambda: len(stints) >= most
        run = Run(tournament, store, engine or InProcess(), contestant, 30.0)
        run.play(blocks, stopped, stints.append)
        return summary(tournament, store.games())


# --- schedules ----------------------------------------------------------------------------------
def test_all_meet_alike_and_sit_everywhere() -> None:
    schedule = Schedule(5, 3, seed=1)
    lineups = [schedule.lineup(block) for block in range(200)]
    assert set(Counter(tuple(sorted(lineup)) for lineup in lineups).values()) == {20}
    assert len(set(lineups)) > 50  # of 60: every order of every table, drawn
    opening = Counter(lineup[0] for lineup in lineups)
    assert all(20 <= opening[agent] <= 60 for agent in range(5))


def test_schedules_follow_from_the_seed_alone() -> None:
    one, same, other = Schedule(6, 4, 1), Schedule(6, 4, 1), Schedule(6, 4, 2)
    blocks = range(40)
    assert [one.lineup(block) for block in blocks] == [same.lineup(block) for block in blocks]
    assert [one.lineup(block) for block in blocks] != [other.lineup(block) for block in blocks]
    assert len({one.dice_seed(block) for block in blocks} | {other.dice_seed(0)}) == 41


def test_in_a_block_all_sit_in_every_seat() -> None:
    seats = [rotated((4, 7, 9), rotation) for rotation in range(3)]
    for seat in range(3):
        assert sorted(lineup[seat] for lineup in seats) == [4, 7, 9]


def test_rotations_have_the_same_dice_and_luck(tmp_path: Path) -> None:
    """Of one agent against itself, the games of a block are the same game."""
    tournament = Tournament(("probabilistic", "probabilistic"), 4, teams=True, series=3)
    with Store(tmp_path, tournament.identity()) as store:
        Run(tournament, store, InProcess(), contestant, 30.0).play(10)
        games = store.games()
    assert len(games) == 10 * 3 * 4
    keys = list(zip(games.block.tolist(), games.deal.tolist(), strict=True))
    outcomes: dict[Any, set[Any]] = {key: set() for key in keys}
    for key, rounds, scores in zip(keys, games.rounds.tolist(), games.scores.tolist(), strict=True):
        outcomes[key].add((rounds, tuple(scores)))
    assert all(len(seen) == 1 for seen in outcomes.values())
    assert len({next(iter(seen)) for seen in outcomes.values()}) > 5  # and deals differ


# --- the same table however it is played --------------------------------------------------------
def test_workers_engines_and_interruptions_change_nothing(tmp_path: Path) -> None:
    tournament = Tournament(FOUR, 3)
    whole = play(tmp_path / "whole", tournament, 40)
    assert play(tmp_path / "parts", tournament, 40, most=2)["games"] < whole["games"] == 120
    with Processes(2) as engine:
        assert play(tmp_path / "parts", tournament, 40, engine) == whole
    assert play(tmp_path / "parts", tournament, 40) == whole  # nothing is left to play


def test_more_games_go_on_from_fewer(tmp_path: Path) -> None:
    tournament = Tournament(FOUR, 4)
    play(tmp_path / "one", tournament, 10)
    assert play(tmp_path / "one", tournament, 25) == play(tmp_path / "other", tournament, 25)


KILLED = """
import sys
from pathlib import Path
from perudo.lab.tournament import run as tournament_run
from perudo.lab.engine import InProcess
from perudo.lab.tournament.store import Store
from perudo.lab.tournament.summaries import Summary, TournamentData
from perudo.lab.tournament.tournament import Tournament
from perudo.cli.contestants import contestant

tournament_run.SAVE_SECONDS = tournament_run.STINT_SECONDS = 0.01
played = Tournament(tuple(sys.argv[2:]), 3)
with Store(Path(sys.argv[1]), played.identity()) as store:
    tournament_run.Run(played, store, InProcess(), contestant, 30.0).play(1_000_000)
"""


def test_a_killed_run_is_gone_on_with(tmp_path: Path) -> None:
    run = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "killed"), *FOUR])
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("killed/*.parquet"))) < 3:
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    run.kill()
    run.wait()
    tournament = Tournament(FOUR, 3)
    with Store(tmp_path / "killed", tournament.identity()) as store:
        there = store.blocks()
    blocks = max(there) + 30
    assert play(tmp_path / "killed", tournament, blocks) == play(
        tmp_path / "whole", tournament, blocks
    )


# --- the store ----------------------------------------------------------------------------------
def test_games_are_rows_of_parquet(tmp_path: Path) -> None:
    tournament = Tournament(FOUR, 3)
    figures = play(tmp_path, tournament, 20)
    rows = duckdb.execute(
        "SELECT agents[winner], count(*) FROM read_parquet($files) GROUP BY ALL",
        {"files": str(tmp_path / "*.parquet")},
    ).fetchall()
    assert dict(rows) == {
        agent["agent"]: agent["wins"] for agent in figures["agents"] if agent["wins"]
    }
    assert sum(agent["games"] for agent in figures["agents"]) == 3 * figures["games"] == 180


def test_unfinished_files_are_forgotten(tmp_path: Path) -> None:
    tournament = Tournament(FOUR, 3)
    whole = play(tmp_path, tournament, 5)
    (tmp_path / "games-000002.unfinished").write_bytes(b"half a file")
    assert play(tmp_path, tournament, 5) == whole
    assert not list(tmp_path.glob("*.unfinished"))


def test_other_directories_are_refused(tmp_path: Path) -> None:
    first = Tournament(FOUR, 3)
    play(tmp_path / "first", first, 1)
    for other, reason in (
        (Tournament(FOUR, 3, seed=2), "seed 1, not 2"),
        (Tournament(FOUR[:3], 3), "agents probabilistic, random:call=0.5, random, heuristic-max"),
        (Tournament(FOUR, 4), "players 3, not 4"),
        (Tournament(FOUR, 3, rules="uk"), "rules official, not uk"),
    ):
        with pytest.raises(PerudoError, match=reason):
            Store(tmp_path / "first", other.identity())
    with pytest.raises(PerudoError, match="a different version of perudo"):
        Store(tmp_path / "first", replace(first.identity(), code="0"))
    with pytest.raises(PerudoError, match="other files than a tournament"):
        Store(tmp_path, first.identity())
    with (
        Store(tmp_path / "first", first.identity()),
        pytest.raises(PerudoError, match="another run is using"),
    ):
        Store(tmp_path / "first", first.identity())
    (tmp_path / "first" / "games-000009.parquet").write_bytes(b"nonsense")
    with pytest.raises(PerudoError, match="cannot read the games"):
        Store(tmp_path / "first", first.identity())


def test_games_that_are_there_twice_are_noticed(tmp_path: Path) -> None:
    tournament = Tournament(FOUR, 3)
    play(tmp_path, tournament, 2)
    copy = (tmp_path / "games-000001.parquet").read_bytes()
    (tmp_path / "games-000002.parquet").write_bytes(copy)
    with pytest.raises(PerudoError, match="twice"):
        Store(tmp_path, tournament.identity())


# --- agents -------------------------------------------------------------------------------------
FAILING = """
class Failing:
    played = 0

    def decide(self, observation, memory, stream):
        type(self).played += 1
        if self.played > 40:
            raise RuntimeError("enough")
        return list(observation.legal_actions)[-1]
"""


def test_an_agent_that_fails_ends_it_and_what_was_played_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament_run, "STINT_SECONDS", 0.0)  # a block at a time
    file = tmp_path / "failing.py"
    file.write_text(FAILING.replace("40", "1"))
    tournament = Tournament((f"{file}:Failing", "random:call=0.5"), 2)
    with pytest.raises(AgentError, match="enough"):
        play(tmp_path / "games", tournament, 5)
    with Store(tmp_path / "games", tournament.identity()) as store:
        kept = len(store.games())
    file.write_text(FAILING)
    with pytest.raises(PerudoError, match="a different version"):
        Store(tmp_path / "games", tournament.identity())
    assert kept < 10


def test_agents_that_remember_play_several_deals_together(tmp_path: Path) -> None:
    settings = TournamentSettings(agents=["macleod", "random"], games=60, workers=1)
    tournament, _ = enter_tournament(settings)
    assert tournament.series == DEALS_WITH_MEMORY
    assert play(tmp_path, tournament, 2)["games"] == 2 * 2 * DEALS_WITH_MEMORY


@pytest.mark.parametrize(
    ("words", "players", "sprt", "reason"),
    [
        (["random"], None, False, "at least two different agents"),
        (["random", "nobody"], None, False, "unknown agent 'nobody'"),
        (["random", "random"], None, False, "random is named twice"),
        (["random", "observer"], 3, False, "needs 3 different agents, and there are 2"),
        (["random", "human"], None, False, "not in tournaments"),
        (list(FOUR), 9, False, "9 players"),
        (list(FOUR), None, True, "compares two agents"),
        (["random", "observer"], 3, True, "3 should be even"),
    ],
)
def test_impossible_tournaments(
    words: list[str], players: int | None, sprt: bool, reason: str
) -> None:
    settings = TournamentSettings(agents=words, players=players, games=1, sprt=sprt)
    with pytest.raises(PerudoError, match=reason):
        enter_tournament(settings)


# --- the command --------------------------------------------------------------------------------
def test_ctrl_c_keeps_what_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tournament = Tournament(FOUR, 3)
    settings = TournamentSettings(
        agents=list(FOUR), games=60, workers=1, out=tmp_path / "one", json=True
    )
    add = Store.add

    def interrupted_add(store: Store, games: Games) -> None:
        add(store, games)
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add", interrupted_add)
        assert run_tournament(tournament, True, settings) == INTERRUPTED
    printed = capsys.readouterr()
    assert "the same command resumes from there" in printed.err
    first = json.loads(printed.out)
    assert first["interrupted"]
    assert 0 < first["games"] < 60
    assert run_tournament(tournament, True, settings) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["games_played_now"] == 60 - first["games"]
    figures = play(tmp_path / "other", tournament, 20)
    assert {name: second[name] for name in figures} == figures
    assert json.loads((tmp_path / "one" / "summary.json").read_text()) == second


def test_the_page_is_complete_in_itself(tmp_path: Path) -> None:
    figures = play(tmp_path, Tournament(FOUR, 3), 10)
    figures["agents"][0]["agent"] = "<script>"
    data: TournamentData = {
        **figures,
        "reproducible": True,
        "interrupted": False,
        "directory": str(tmp_path),
        "games_played_now": 1,
        "seconds": 0.1,
    }
    text = page(data)
    assert "<svg" in text
    assert "&lt;script&gt;" in text
    assert not any(address in text for address in ("<script", "http", "//", "@import", "url("))


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "page.html"
    arguments = ["tournament", "random", "random:call=0.5", "--games", "4", "--workers", "1"]
    options = ["--out", str(tmp_path / "games"), "--report", str(report)]
    assert app([*arguments, *options], standalone_mode=False) == 0
    assert "4 games of official at tables of 2" in capsys.readouterr().out
    assert "<svg" in report.read_text(encoding="utf-8")
    assert app([*arguments, "--out", str(tmp_path / "test"), "--sprt"], standalone_mode=False) == 0
    assert "undecided after 2 blocks (4 games)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("players", [2, 4])
def test_tables_fit_into_eighty_columns(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    players: int,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    settings = TournamentSettings(agents=list(FOUR), games=8, workers=1, out=tmp_path)
    assert run_tournament(Tournament(FOUR, players), True, settings) == 0
    assert "…" not in capsys.readouterr().out


def test_wins_are_shared_by_equal_scores() -> None:
    games = Games.none(2)
    games.scores = np.array([[1.0, -1.0], [0.0, 0.0]])
    assert games.shares.tolist() == [[1.0, 0.0], [0.5, 0.5]]
