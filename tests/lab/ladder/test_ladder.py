"""The ladder: who is on it, how table sizes are brought together, and which levels come of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perudo import levels as kept
from perudo.agents import AGENTS, agent_named
from perudo.cli.app import app
from perudo.cli.ladder import LadderSettings, games_each, run_ladder, sizes
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.ladder import page as ladder_page
from perudo.lab.ladder.ladder import (
    Ladder,
    LadderRow,
    Provenance,
    SizeRating,
    Times,
    blocks_for,
    decision_times,
    eligible,
    ladder,
    roster,
    tournament,
)
from perudo.lab.ladder.level_choice import ABOVE_RANDOM, LEVELS, QUICK_MS, choose, family
from perudo.lab.tournament import ranking

OFFICIAL = Rules.parse("official")
FIVE = ("observer", "probabilistic", "heuristic-max", "l-dumb", "random")


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals of ratings are not what these tests look at."""
    monkeypatch.setattr(ranking, "SAMPLES", 10)


def row(agent: str, mean: float, slowest: float = 1.0, sizes: str = "246") -> LadderRow:
    ratings: dict[str, SizeRating] = {
        size: {"rating": mean, "ci95": [mean - 9, mean + 9], "games": 10, "win_rate": 0.5}
        for size in sizes
    }
    return {
        "agent": agent,
        "spec": agent,
        "mean": mean,
        "ratings": ratings,
        "mean_ms": slowest / 2,
        "slowest_ms": slowest,
    }


def ladder_of(*rows: LadderRow) -> Ladder:
    return {
        "command": "perudo ladder --write",
        "rules": "official",
        "seed": 1,
        "players": [2, 4, 6],
        "games": {"2": 10, "4": 20, "6": 30},
        "agents": sorted(rows, key=lambda one: -one["mean"]),
    }


SOME = ladder_of(
    row("random", 1000),
    row("sl-minimax", 1100),
    row("hmax-counter", 1400),
    row("dumb", 1420),
    row("sl-dumb", 1430),
    row("macleod", 1595),
    row("probabilistic", 1610),
    row("boros-bluff", 1755),
    row("boros-basic", 1760),
    row("observer", 1800),
    row("ensemble", 1840),
    row("pomcp", 2000),
    row("pomcp-pgt-rm", 1990),
    row("pomcp-pgt-ucb", 1980),
    row("mcts-random", 2500, slowest=400.0),
    row("cfr", 2600, sizes="2"),
)


# --- who plays ----------------------------------------------------------------------------------
def test_everybody_but_people_is_rated() -> None:
    words = roster()
    assert {word.partition(":")[0] for word in words} == set(AGENTS) - {"human"}
    assert len(set(words)) == len(words)
    assert "mcts-observer:rollouts=1000,pseudo_rolls=believed" in words
    for word in words:
        agent_named(word)


def test_only_two_sit_down_with_cfr() -> None:
    words = roster()
    assert "cfr" in eligible(words, OFFICIAL, 2)
    assert set(words) - set(eligible(words, OFFICIAL, 4)) == {"cfr"}
    assert tournament(words, OFFICIAL, 6, 1).players == 6


def test_all_play_about_as_many_games_as_asked() -> None:
    one = tournament(FIVE, OFFICIAL, 4, 1)
    assert one.series == 1  # memories begin anew
    games = blocks_for(one, 100) * one.games_per_block
    assert 100 <= games * 4 / len(FIVE) < 104


def test_table_sizes_that_cannot_be_are_refused() -> None:
    with pytest.raises(PerudoError, match=r"tables of 6 need 6 agents; 5 can play"):
        tournament(FIVE, OFFICIAL, 6, 1)
    for text in ("1", "2,7", "two", "", "2,,4", "2,2"):
        with pytest.raises(PerudoError, match="--players"):
            sizes(text)
    assert (games_each(None, True), games_each(None, False), games_each(7, True)) == (100, 1000, 7)


def test_decisions_are_timed() -> None:
    times = decision_times(["observer", "l-dumb"], OFFICIAL, 6, decisions=30)
    assert list(times) == ["observer", "l-dumb"]
    for one in times.values():
        assert 0 < one["mean_ms"] < one["slowest_ms"]


# --- bringing table sizes together --------------------------------------------------------------
def summary_of(players: int, ratings: dict[str, float]) -> Any:
    agents = [
        {
            "agent": name,
            "rating": rating,
            "rating_ci95": [rating - 10, rating + 20],
            "games": 5,
            "win_rate": 0.5,
        }
        for name, rating in ratings.items()
    ]
    return {"players": players, "games": 10, "agents": agents}


TIMES: dict[str, Times] = {
    key: {"mean_ms": 1.0, "slowest_ms": 2.0} for key in ("pomcp:iterations=1000", "dumb", "cfr")
}

PROVENANCE: Provenance = {"command": "perudo ladder", "rules": "official", "seed": 1}


def test_those_who_play_everywhere_have_a_mean_of_1500_everywhere() -> None:
    two = summary_of(2, {"pomcp:iterations=1000": 1700, "dumb": 1400, "cfr": 1400})
    four = summary_of(4, {"pomcp:iterations=1000": 1600, "dumb": 1400})
    found = ladder([two, four], TIMES, PROVENANCE)
    assert [one["spec"] for one in found["agents"]] == ["pomcp", "dumb", "cfr"]
    first, _, last = found["agents"]
    assert first["ratings"]["2"]["rating"] == 1650  # the first two had 1550
    assert first["ratings"]["2"]["ci95"] == [1640, 1670]
    assert first["ratings"]["4"]["rating"] == 1600
    assert first["mean"] == 1625
    assert last["ratings"].keys() == {"2"}


def test_a_ladder_needs_games_of_all() -> None:
    with pytest.raises(PerudoError, match="no agent plays at all these tables"):
        ladder([summary_of(2, {"cfr": 1500}), summary_of(4, {"dumb": 1500})], TIMES, PROVENANCE)
    two = summary_of(2, {"dumb": 1500, "cfr": 1500})
    two["agents"][1]["games"] = 0
    with pytest.raises(PerudoError, match="cfr has not played yet"):
        ladder([two], TIMES, PROVENANCE)


# --- levels -------------------------------------------------------------------------------------
def test_levels_are_evenly_spaced_and_of_several_families() -> None:
    found = choose(SOME)
    assert found["spacing"] == 200
    assert [one["mark"] for one in found["levels"]] == [1400, 1600, 1800, 2000]
    assert [one["agents"] for one in found["levels"]] == [
        ["hmax-counter", "dumb"],  # their mean is nearer than with sl-dumb
        ["macleod", "probabilistic"],
        ["observer", "ensemble", "boros-basic"],  # with a mean of 1800
        ["pomcp", "pomcp-pgt-rm"],  # nobody of another family is near
    ]
    assert [one["rating"] for one in found["levels"]] == [1410, 1602.5, 1800, 1995]


def test_a_level_may_have_one_agent() -> None:
    rows = [row("random", 1000), *(row("observer", 1500 + 100 * step) for step in range(4))]
    assert [len(one["agents"]) for one in choose(ladder_of(*rows))["levels"]] == [1, 1, 1, 1]


def test_levels_leave_out_who_is_slow_or_plays_like_random() -> None:
    chosen = [word for one in choose(SOME)["levels"] for word in one["agents"]]
    assert not {"mcts-random", "sl-minimax", "random", "cfr"} & set(chosen)
    with pytest.raises(PerudoError, match="4 levels need as many agents; 1 are suitable"):
        choose(ladder_of(row("random", 1000), row("observer", 1500)))
    with pytest.raises(PerudoError, match="measured from random"):
        choose(ladder_of(row("observer", 1500)))


def test_families() -> None:
    assert family("mcts-observer:rollouts=5") == family("ensemble") != family("pomcp")


# --- writing ------------------------------------------------------------------------------------
@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src" / "perudo").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    page = f"before\n{ladder_page.BEGIN}\nold\n{ladder_page.END}\nafter\n"
    (tmp_path / ladder_page.PAGE).write_text(page)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "kept"))
    return tmp_path


def test_only_what_is_between_the_marks_is_replaced(project: Path) -> None:
    for _ in range(2):
        ladder_page.write(project, SOME, choose(SOME))
        text = (project / ladder_page.PAGE).read_text()
        assert text.startswith(f"before\n{ladder_page.BEGIN}\nWritten by `perudo ladder --write`")
        assert text.endswith(f"{ladder_page.END}\nafter\n")
        assert "old" not in text
        assert "| `pomcp` | 2000 | 2000 (1991 to 2009) |" in text
        assert "| `cfr` | 2600 | 2600 (2591 to 2609) | - | - |" in text
        assert "| strong | 1800 | 1800 | `observer`, `ensemble`, `boros-basic` |" in text
    assert ladder_page.read_ladder(project) == SOME


def test_pages_without_marks_are_refused(project: Path) -> None:
    (project / ladder_page.PAGE).write_text("no marks")
    with pytest.raises(PerudoError, match="no lines '<!-- ladder -->'"):
        ladder_page.require(project)
    with pytest.raises(PerudoError, match="run it in the source directory"):
        ladder_page.require(project / "docs")
    with pytest.raises(PerudoError, match="run perudo ladder --write first"):
        ladder_page.read_ladder(project)


def test_the_command_plays_rates_and_writes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = LadderSettings(players="2,4", games=120, workers=1)
    written = replace(settings, write=True, json=True)
    assert run_ladder(written, agents=FIVE, timed=20) == 0
    found = json.loads(capsys.readouterr().out)
    levels = found.pop("levels")
    assert found == ladder_page.read_ladder(project)
    assert found["games"] == {"2": 300, "4": 152}
    assert found["agents"][-1]["agent"] == "random"
    assert found["agents"][0]["mean"] > found["agents"][-1]["mean"] + 400
    assert levels["levels"][-1]["agents"][0] == found["agents"][0]["agent"]

    assert app(["ladder", "--levels", "--json"], standalone_mode=False) == 0
    assert json.loads(capsys.readouterr().out) == levels

    assert run_ladder(settings, agents=FIVE, timed=20) == 0  # from the games that are there
    shown = capsys.readouterr()
    assert "300 games at 2 players (0 s)" in shown.err
    assert "official, seed 1; games: 300 at 2 players, 152 at 4 players" in shown.out


def test_levels_can_be_seen_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert app(["ladder", "--levels", "--json"], standalone_mode=False) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [level["name"] for level in shown["levels"]] == list(kept.levels())
    assert list(tmp_path.iterdir()) == []


def test_who_has_to_be_solved_first_is_rated_too(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PERUDO_BOOKS", str(project / "books"))
    rules = "common:dice=1"
    settings = LadderSettings(rules=rules, players="2", games=80, workers=1, json=True)
    assert run_ladder(settings, agents=("cfr", "random"), timed=5) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["agent"] for one in found["agents"]] == ["cfr", "random"]


# --- what is kept in the package ----------------------------------------------------------------
def test_the_kept_levels_are_ordered_quick_and_can_play() -> None:
    found = kept.levels()
    assert list(found) == list(LEVELS)
    ratings = [level.rating for level in found.values()]
    assert ratings == sorted(ratings)
    words = [word for level in found.values() for word in level.agents]
    assert len(set(words)) == len(words)
    for word in words:
        for players in range(2, 7):
            assert agent_named(word).cannot_play(PERUDO, OFFICIAL, players) is None
        assert not agent_named(word).uses_clock


def test_the_kept_files_follow_from_each_other() -> None:
    """The ladder, the levels by the rule, and the table in the docs."""
    root = Path(__file__).parents[3]
    data = ladder_page.read_ladder(root)
    levels = json.loads((root / ladder_page.DATA / ladder_page.LEVELS).read_text("utf-8"))
    assert levels == choose(data)
    assert ladder_page.markdown(data, levels) in (root / ladder_page.PAGE).read_text("utf-8")
    rated = {one["agent"]: one for one in data["agents"]}
    assert set(rated) == set(roster())
    random = rated["random"]["mean"]
    for level in kept.levels().values():
        for word in level.agents:
            assert rated[word]["slowest_ms"] <= QUICK_MS
            assert rated[word]["mean"] >= random + ABOVE_RANDOM
    for path in (ladder_page.LADDER, ladder_page.LEVELS):
        assert (root / ladder_page.DATA / path).stat().st_size < 50_000


def test_levels_give_seats_agents_in_turn() -> None:
    level = kept.Level("mixed", "", 1500.0, ("observer", "dumb"))
    assert [level.agent_at(seat) for seat in range(3)] == ["observer", "dumb", "observer"]
    assert level.agent == "observer"


def test_levels_and_ratings_are_found_by_name() -> None:
    first = next(iter(kept.levels()))
    assert kept.level_named(first).name == first
    with pytest.raises(UnknownNameError, match="unknown level 'easy'; there are: beginner"):
        kept.level_named("easy")
    assert "cfr" in kept.ratings(2)
    assert "cfr" not in kept.ratings(3)  # as at tables of four
    assert kept.ratings(3) == kept.ratings(4) != kept.ratings(6)
    for players in (2, 6):
        assert kept.ratings(players)["pomcp"] > kept.ratings(players)["random"]
