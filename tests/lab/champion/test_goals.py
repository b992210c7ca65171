"""What the champion has to show: figures are measured, kept, gone on with, and told truly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perudo.agents import agent_named
from perudo.agents.agent import Thoughts
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.lab.ladder.ladder import roster
from perudo.lab.ladder.page import PAGE
from perudo.lab.proof import bounds, page, speed
from perudo.lab.proof.asking import stated_strategy
from perudo.lab.proof.figures import (
    BARELY,
    HARDLY,
    NO,
    QUICK,
    YES,
    Figure,
    Kept,
    Sizes,
    Task,
    Value,
    Work,
    at_least,
    at_most,
    exactly,
    mean_of,
    not_below,
    run,
)
from perudo.lab.proof.goals import goals
from perudo.lab.proof.matches import UNREAD, duplicate, opponents
from perudo.lab.proof.plan import PARTS, tasks_of
from perudo.lab.proof.rounds import FULL, rounds
from perudo.lab.proof.settling import lost
from perudo.lab.proof.threshold import ThresholdCaller
from perudo.lab.solve.exploitability import exploitability
from perudo.lab.solve.lower_bound import Answer, Effort, Series, lower_bound
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.trees.public_tree import build
from perudo.testing import check_agent

WORK = Work(QUICK, 1, {})


def share(value: float, low: float, high: float, **more: Any) -> Figure:
    return {
        "share": value,
        "ci95": [low, high],
        "games": 100,
        "wins": 100 * value,
        "seconds": 6.0,
        "commit": "abc",
        "mean_ms": 2.0,
        **more,
    }


# --- is a goal reached? -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "reached"),
    [
        (Value(0.60, 0.56, 0.64), YES),
        (Value(0.55, 0.55, 0.64), YES),
        (Value(0.60, 0.54, 0.66), BARELY),
        (Value(0.54, 0.48, 0.60), HARDLY),
        (Value(0.50, 0.46, 0.54), NO),
        (exactly(0.54), NO),
    ],
)
def test_a_goal_is_clearly_reached_only_by_the_whole_interval(value: Value, reached: str) -> None:
    assert at_least(0.55, value) == reached
    assert at_most(-0.55, Value(-value.value, -value.high, -value.low)) == reached


def test_no_loss_beyond_the_interval() -> None:
    assert not_below(0.5, Value(0.48, 0.45, 0.51)) == YES
    assert not_below(0.5, Value(0.48, 0.47, 0.49)) == NO


def test_differences_have_wider_intervals() -> None:
    found = Value(0.7, 0.67, 0.73).minus(Value(0.6, 0.56, 0.64))
    assert found.value == pytest.approx(0.1)
    assert [found.low, found.high] == pytest.approx([0.05, 0.15])


def test_a_goal_about_many_figures_tells_of_the_worst_and_waits_for_all() -> None:
    figures = {
        "two/common/observer": share(0.70, 0.66, 0.74),
        "two/common/cfr": share(0.56, 0.54, 0.58),
        "two/common/random": share(0.57, 0.54, 0.60),
        "six/common": share(0.30, 0.26, 0.34, by_seat=[]),
    }
    by_text = {goal.text: goal for goal in goals(figures)}
    matches = next(goal for text, goal in by_text.items() if "matches" in text)
    assert (matches.worst.label, matches.reached) == ("cfr", BARELY)
    six = next(goal for text, goal in by_text.items() if "six players" in text)
    assert six.reached == "1 of 2 measured"
    assert not next(goal for text, goal in by_text.items() if "1 s a decision" in text).found


# --- measuring ----------------------------------------------------------------------------------
def test_line_ups_sit_in_all_seats_with_the_same_dice() -> None:
    found = duplicate(["observer", "random", "random", "random"], "common", 40, WORK)
    assert [seat["games"] for seat in found["by_seat"]] == [10] * 4
    assert found["wins"] == sum(seat["wins"] for seat in found["by_seat"])
    assert found["command"] == (
        "perudo match observer random random random --rules common --games 10 --seed 7 "
        "--seating fixed --series 1"
    )
    # The same agent on both sides of the same deals: what one seat wins the other loses.
    itself = duplicate(["heuristic-max", "heuristic-max"], "common", 60, WORK)
    assert itself["share"] == 0.5


def test_all_parts_have_figures_of_their_own() -> None:
    tasks = tasks_of([])
    names = [task.name for task in tasks]
    assert len(set(names)) == len(names)
    assert {name.partition("/")[0] for name in names} == set(PARTS)
    assert tasks_of(["six"]) != tasks_of(["four"])
    with pytest.raises(UnknownNameError, match="no part 'five'; there are: speed"):
        tasks_of(["five"])


def test_everybody_else_on_the_ladder_is_met() -> None:
    assert set(opponents("common")) == {*roster(), "cfr:match=no"} - {"champion"}


def test_the_tuned_caller_is_the_one_that_loses_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perudo.lab.proof.rounds.CALLS", (0.3, 1.0))  # who calls everything loses
    monkeypatch.setattr("perudo.lab.proof.rounds.OPENINGS", (0.6,))
    (full, *_) = rounds()
    found = full.measure(replace(WORK, sizes=replace(QUICK, tuning_rounds=400)))
    assert (full.name, found["call"], found["games"]) == (FULL, 0.3, QUICK.rounds)
    assert "threshold.py:ThresholdCaller:opening=0.6 --rules common" in found["command"]


def test_the_caller_is_an_agent() -> None:
    check_agent(ThresholdCaller(0.2, 0.5), positions=200)


@pytest.mark.parametrize("rules", ["common", "official"])
def test_asking_in_a_kernel_is_asking(rules: str) -> None:
    start = bounds.start_of(rules, (1, 1))
    agent = bounds.compiled("champion:adapt=0", start)
    solver = Solver(build(start))
    found = solver.exploitability(stated_strategy(agent, solver))
    asked = exploitability(agent_named("champion:adapt=0"), start)
    assert found == pytest.approx(asked["exploitability"], abs=1e-12)


def test_who_states_no_chances_is_not_measured() -> None:
    start = bounds.start_of("common", (1, 1))
    agent = bounds.compiled("pomcp:iterations=1", start)
    with pytest.raises(PerudoError, match="pomcp:iterations=1 states no chances in"):
        stated_strategy(agent, Solver(build(start)))


def test_the_local_bound_is_that_of_the_lab() -> None:
    """Round for round: the answerer takes the champion for its book."""
    start = bounds.start_of("common", bounds.FULL_DICE)
    champion = bounds.compiled(UNREAD, start)
    expected = lower_bound(champion.agent, start, "local", Effort(rounds=20, iterations=50))
    answer = bounds.answer_to_book(start, WORK)
    for seat in range(2):
        won = Series(champion, start, seat, bounds.SEED).play(answer, 20)
        assert won.mean() == expected["won_by_seat"][seat]


def test_the_champion_remembers_whom_the_answerer_pretended_to_be() -> None:
    start = bounds.start_of("common", bounds.FULL_DICE)
    series = Series(bounds.compiled("champion", start), start, 0, bounds.SEED)
    observer = bounds.compiled("observer", start)
    pretence = Answer(observer.policy, observer.parameters)
    series.play(pretence, 5, bounds.DEALS_BEFORE, learns=False)
    assert not series.memories.any()
    series.play(pretence, 5, bounds.DEALS_BEFORE, learns=True)
    assert series.memories[1].any()  # of the champion, which sits in the other seat
    assert not series.memories[0].any()


def test_decisions_are_timed_at_every_number_of_dice() -> None:
    (first, *_) = speed.speed()
    found = first.measure(WORK)
    assert first.name == "speed/champion/common/2"
    assert [row["dice"] for row in found["by_dice"]] == [1, 2, 3, 4, 5]
    for row in found["by_dice"]:
        assert 0 < row["mean_ms"] <= row["p99_ms"] <= row["max_ms"] <= found["max_ms"]


def test_points_of_time_follow_from_what_was_measured() -> None:
    _, _, second, *_ = tasks_of(["time"])
    before = share(0.3, 0.2, 0.4, rollouts=120, target_ms=1) | {"mean_ms": 1.5}
    found = second.measure(Work(QUICK, 1, {"time/1": before}))
    assert (found["rollouts"], found["games"], found["target_ms"]) == (240, 4, 3)
    assert "perudo match champion:rollouts=240 pomcp-pgt-ucb" in found["command"]
    most = before | {"rollouts": 10_000_000}
    assert second.measure(Work(QUICK, 1, {"time/1": most})) == {**most, "target_ms": 3}


def test_longer_thinking_judges_the_shorter() -> None:
    one, other = (
        Thoughts({"dudo": chance, "2x3": 1.0 - chance}, {"dudo": 0.3, "2x3": 0.5})
        for chance in (0.75, 0.25)
    )
    assert lost(one, other) == pytest.approx(0.5 * 0.2)
    assert lost(other, other) == 0.0
    (first, *_) = tasks_of(["time"])
    found = first.measure(WORK)
    assert [point["rollouts"] for point in found["points"]] == [32, 100, 300]
    assert found["decisions"] == QUICK.settling_decisions
    for point in found["points"]:
        assert point["mean_ms"] > 0
        assert point["ci95"][0] <= point["lost"] <= point["ci95"][1]


def test_a_mean_of_figures_is_surer_than_each() -> None:
    found = mean_of([Value(0.1, 0.06, 0.13), Value(0.3, 0.27, 0.34)])
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.175, 0.225))


def test_more_games_of_everything() -> None:
    more = Sizes().times(2)
    assert (more.four, more.rounds, more.time_seconds) == (2_800, 200_000, 480.0)
    assert more.iterations == Sizes().iterations


# --- keeping ------------------------------------------------------------------------------------
def test_figures_are_kept_one_by_one_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    asked: list[str] = []

    def task(name: str, fails: bool = False) -> Task:
        def measure(work: Work) -> Figure:
            asked.append(name)
            if fails:
                raise KeyboardInterrupt
            return {"share": 0.5, "ci95": [0.4, float("nan")], "seen": len(work.found)}

        return Task(name, measure)

    with pytest.raises(KeyboardInterrupt):
        run([task("a"), task("b", fails=True), task("c")], Kept(path), QUICK, 1)
    assert json.loads(path.read_text()).keys() == {"a"}
    told: list[str] = []
    kept = Kept(path)
    count = run(
        [task(name) for name in "abc"], kept, QUICK, 1, tell=lambda name, _: told.append(name)
    )
    assert (count, asked, told) == (2, ["a", "b", "b", "c"], ["b", "c"])
    found = json.loads(path.read_text())
    assert found == kept.figures
    assert found["c"]["seen"] == 2  # of those before it
    assert found["c"]["ci95"] == [0.4, None]
    assert found["c"].keys() >= {"seconds", "commit", "cores"}
    assert run([task("b")], Kept(path), QUICK, 1, again=True) == 1
    path.write_text("{")
    with pytest.raises(PerudoError, match="cannot be read"):
        Kept(path)


# --- telling ------------------------------------------------------------------------------------
def some_figures() -> dict[str, Figure]:
    seats = [share(0.3, 0.2, 0.4)] * 4
    return {
        "two/common/observer": share(0.70, 0.66, 0.74, command="perudo match champion observer"),
        "two/unread/observer": share(0.60, 0.56, 0.64),
        "two/official/observer": share(0.8, 0.7, 0.9),
        "two/common/cfr": share(0.50, 0.46, 0.54),
        "four/common/copies": share(0.36, 0.33, 0.39, by_seat=seats),
        "copies/observer/champion": share(0.1, 0.08, 0.12),
        "copies/observer/pomcp": share(0.2, 0.18, 0.22),
        "bound/exact/common/1v1": {
            "exploitability": 0.0005,
            "solved": "exactly",
            "seconds": 1.0,
            "commit": "abc",
        },
        "bound/exact/official/2v1": {
            "exploitability": None,
            "why": "not in the book",
            "seconds": 1.0,
            "commit": "def",
        },
        "bound/local/common": share(0, -0.02, 0.03, won=0.005, rounds=60),
        "bound/known/common": share(0, 0.0, 0.04, won=0.02, rounds=60, known_rounds=9),
        "time/1": share(0.3, 0.2, 0.4, rollouts=1000, target_ms=1),
        "time/3": share(0.4, 0.3, 0.5, rollouts=3000, target_ms=3) | {"mean_ms": 3.1},
    }


def test_tables_tell_figures_beside_goals() -> None:
    text = page.markdown(some_figures())
    assert "13 figures, 1 minutes, commit abc, def." in text
    goal = "| two players, `common`: at least 55 % of matches against every other agent | "
    assert goal + "50.0 % (46.0 to 54.0) | cfr (worst of 2) | no |" in text
    assert "| `observer` | 100 | 70.0 % (66.0 to 74.0) | yes | 80.0 % (70.0 to 90.0) |" in text
    assert "+10.0 (+4.3 to +15.7) | yes |" in text
    assert "For instance `perudo match champion observer`." in text
    assert "| 36.0 % (33.0 to 39.0) | 30 (20-40); 30 (20-40); 30 (20-40); 30 (20-40) |" in text
    assert "| `common` | 0.0005 (exactly) | - | - |" in text
    assert "shown 9 rounds of the answerer" in text
    assert "0.015 (-0.017 to 0.047) |" in text
    assert "| `champion:rollouts=3000` | 3.1 | 100 | 40.0 % (30.0 to 50.0) |" in text
    assert "six players" in text  # goals without figures are told too
    assert "not measured" in text
    assert page.markdown({}).count("not measured") == len(goals({}))


def test_the_page_is_written_between_its_marks_with_a_small_plot(tmp_path: Path) -> None:
    path = tmp_path / PAGE
    path.parent.mkdir()
    path.write_text(f"before\n{page.BEGIN}\nformer text\n{page.END}\nafter\n")
    page.require(tmp_path)
    written = page.write(tmp_path, some_figures())
    assert [one.suffix for one in written] == [".md", ".png", ".svg"]
    assert all(one.stat().st_size < 100_000 for one in written)
    text = path.read_text()
    assert text.startswith(f"before\n{page.BEGIN}\nWritten by `python benchmarks/champion.py")
    assert text.endswith(f"{page.END}\nafter\n")
    assert "former text" not in text
    assert page.write(tmp_path, {}) == [path]  # no points, no plot
    path.write_text("no marks")
    with pytest.raises(PerudoError, match="no lines '<!-- champion -->'"):
        page.require(tmp_path)


def test_the_docs_tell_what_is_kept() -> None:
    root = Path(__file__).parents[3]
    kept = root / "benchmarks" / "champion.json"
    text = page.markdown(Kept(kept).figures)
    assert f"{page.BEGIN}\n{text}{page.END}" in (root / PAGE).read_text("utf-8")
