"""The champion's experiments: figures are measured, kept, gone on with, and shown truly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from perudo.agents import agent_named
from perudo.agents.agent import Thoughts
from perudo.games.errors import PerudoError, UnknownNameError
from perudo.lab.champion import bounds, experiments, rounds, thinking_time, two
from perudo.lab.champion.duplicate import NOT_ADAPTING, duplicate
from perudo.lab.champion.experiments import PARTS, goals_of, select
from perudo.lab.champion.figures import (
    Bound,
    Exploitability,
    Figure,
    FigureFile,
    GamesWon,
    Measured,
    Settling,
    Speed,
    Task,
)
from perudo.lab.champion.goals import (
    NO,
    PROBABLY_NO,
    PROBABLY_YES,
    YES,
    at_least,
    at_most,
    goal,
    reached_by,
)
from perudo.lab.champion.rounds import ThresholdCaller
from perudo.lab.champion.stated_strategy import stated_strategy
from perudo.lab.champion.thinking_time import lost
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.experiments.measures import Measure, difference, exactly, mean_of
from perudo.lab.ladder.ladder import roster
from perudo.lab.ladder.page import PAGE
from perudo.lab.solve.exploitability import exploitability
from perudo.lab.solve.lower_bound import Effort, Response, Series, lower_bound
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.trees.public_tree import build
from perudo.testing import check_agent

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "benchmarks" / "champion.json"
QUICK = Conditions(quick=True, workers=1)


def share(value: float, low: float, high: float, **more: Any) -> dict[str, Any]:
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


def file_of(place: Path, figures: dict[str, Any]) -> FigureFile:
    path = place / "figures.json"
    path.write_text(json.dumps(figures))
    return FigureFile(path)


def first_task(part: str) -> Task:
    (task, *_) = PARTS[part][1](FigureFile())
    return task


# --- is a goal reached? -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "reached"),
    [
        (Measure(0.60, 0.56, 0.64), YES),
        (Measure(0.55, 0.55, 0.64), YES),
        (Measure(0.60, 0.54, 0.66), PROBABLY_YES),
        (Measure(0.54, 0.48, 0.60), PROBABLY_NO),
        (Measure(0.50, 0.46, 0.54), NO),
        (exactly(0.54), NO),
    ],
)
def test_a_goal_is_clearly_reached_only_by_the_whole_interval(value: Measure, reached: str) -> None:
    assert reached_by(value, at_least(0.55)) == reached
    assert reached_by(Measure(-value.value, -value.high, -value.low), at_most(-0.55)) == reached


def test_no_loss_beyond_the_interval() -> None:
    for low, high, reached in ((0.45, 0.51, YES), (0.47, 0.49, NO)):
        found = goal("", str, at_least(0.5), [("", Measure(0.48, low, high))], lenient=True)
        assert found.reached == reached


def test_differences_have_wider_intervals() -> None:
    found = difference(Measure(0.7, 0.67, 0.73), Measure(0.6, 0.56, 0.64))
    assert found.value == pytest.approx(0.1)
    assert [found.low, found.high] == pytest.approx([0.05, 0.15])


def test_a_goal_about_many_figures_shows_the_worst_and_waits_for_all(tmp_path: Path) -> None:
    figures = {
        "two/common/observer": share(0.70, 0.66, 0.74),
        "two/common/cfr": share(0.56, 0.54, 0.58),
        "two/common/random": share(0.57, 0.54, 0.60),
        "six/common": share(0.30, 0.26, 0.34, by_seat=[]),
    }
    by_text = {goal.text: goal for goal in goals_of(file_of(tmp_path, figures))}
    matches = next(goal for text, goal in by_text.items() if "matches" in text)
    assert (matches.worst.label, matches.reached) == ("cfr", PROBABLY_YES)
    six = next(goal for text, goal in by_text.items() if "six players" in text)
    assert six.reached == "1 of 2 measured"
    assert not next(goal for text, goal in by_text.items() if "1 s a decision" in text).rows


# --- measuring ----------------------------------------------------------------------------------
def test_line_ups_sit_in_all_seats_with_the_same_dice() -> None:
    found = duplicate(QUICK, ["observer", "random", "random", "random"], "common", 40)
    assert [seat.games for seat in found.by_seat] == [10] * 4
    assert found.wins == sum(seat.wins for seat in found.by_seat)
    assert found.command == (
        "perudo match observer random random random --rules common --games 10 --seed 7 "
        "--seating fixed --series 1"
    )
    # The same agent on both sides of the same deals: what one seat wins the other loses.
    itself = duplicate(QUICK, ["heuristic-max", "heuristic-max"], "common", 60)
    assert itself.share == 0.5


def test_all_parts_have_figures_of_their_own() -> None:
    names = [task.name for _, tasks, _ in PARTS.values() for task in tasks(FigureFile())]
    assert len(set(names)) == len(names)
    assert {name.partition("/")[0] for name in names} == set(PARTS)
    assert [one.id for one in select([], FigureFile())] == list(PARTS)
    assert [one.id for one in select(["six"], FigureFile())] == ["six"]
    with pytest.raises(UnknownNameError, match="no part 'five'; there are: speed"):
        select(["five"], FigureFile())


def test_an_experiment_compares_its_figures_with_the_goals(tmp_path: Path) -> None:
    shares = {
        f"six/{rules}": share(0.3, low, 0.4)
        for rules, low in (("common", 0.26), ("official", 0.24))
    }
    (six,) = select(["six"], file_of(tmp_path, shares))
    found = six.run(QUICK)  # nothing is left to be measured
    assert [row.label.rpartition(": ")[2] for row in found.rows] == ["common", "official"]
    assert found.verdict == "undecided in 1, agrees in 1 of 2"


def test_everybody_else_on_the_ladder_is_met() -> None:
    assert set(two.opponents("common")) == {*roster(), "cfr:match=no"} - {"champion"}


def test_the_tuned_caller_is_the_one_that_loses_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "CALLS", (0.3, 1.0))  # who calls everything loses
    monkeypatch.setattr(rounds, "OPENINGS", (0.6,))
    monkeypatch.setattr(rounds, "TUNING_SIZE", (400, 400))
    full = first_task("rounds")
    found = full.measure(QUICK)
    assert isinstance(found, GamesWon)
    assert (full.name, found.call, found.games) == (rounds.FULL, 0.3, 400)
    assert "rounds.py:ThresholdCaller:opening=0.6 --rules common" in found.command


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


def test_an_agent_that_states_no_chances_is_not_measured() -> None:
    start = bounds.start_of("common", (1, 1))
    agent = bounds.compiled("pomcp:iterations=1", start)
    with pytest.raises(PerudoError, match="pomcp:iterations=1 states no chances in"):
        stated_strategy(agent, Solver(build(start)))


def test_the_local_bound_is_that_of_the_lab() -> None:
    """Round for round: the answerer takes the champion for its book."""
    start = bounds.start_of("common", bounds.FULL_DICE)
    champion = bounds.compiled(NOT_ADAPTING, start)
    expected = lower_bound(champion.agent, start, "local", Effort(rounds=20, iterations=50))
    response = bounds.response_to_book(start, QUICK)
    for seat in range(2):
        won = Series(champion, start, seat, bounds.SEED).play(response, 20)
        assert won.mean() == expected["won_by_seat"][seat]


def test_the_champion_remembers_whom_the_answerer_pretended_to_be() -> None:
    start = bounds.start_of("common", bounds.FULL_DICE)
    series = Series(bounds.compiled("champion", start), start, 0, bounds.SEED)
    observer = bounds.compiled("observer", start)
    pretence = Response(observer.policy, observer.parameters)
    series.play(pretence, 5, bounds.DEALS_BEFORE, learns=False)
    assert not series.memories.any()
    series.play(pretence, 5, bounds.DEALS_BEFORE, learns=True)
    assert series.memories[1].any()  # of the champion, which sits in the other seat
    assert not series.memories[0].any()


def test_decisions_are_timed_at_every_number_of_dice() -> None:
    first = first_task("speed")
    found = first.measure(QUICK)
    assert isinstance(found, Speed)
    assert first.name == "speed/champion/common/2"
    assert [row.dice for row in found.by_dice] == [1, 2, 3, 4, 5]
    for row in found.by_dice:
        assert 0 < row.mean_ms <= row.p99_ms <= row.max_ms <= found.max_ms


def test_points_of_time_follow_from_what_was_measured(tmp_path: Path) -> None:
    def second(before: dict[str, Any]) -> Measured:
        _, _, task, *_ = thinking_time.tasks(file_of(tmp_path, {"time/1": before}))
        return task.measure(QUICK)

    before = share(0.3, 0.2, 0.4, rollouts=120, target_ms=1) | {"mean_ms": 1.5}
    found = second(before)
    assert isinstance(found, GamesWon)
    assert (found.rollouts, found.games, found.target_ms) == (240, 4, 3)
    assert "perudo match champion:rollouts=240 pomcp-pgt-ucb" in found.command
    most = second(before | {"rollouts": 10_000_000})
    assert isinstance(most, GamesWon)
    assert (most.rollouts, most.target_ms, most.share) == (10_000_000, 3, 0.3)


def test_longer_searches_judge_the_shorter() -> None:
    one, other = (
        Thoughts({"dudo": chance, "2x3": 1.0 - chance}, {"dudo": 0.3, "2x3": 0.5})
        for chance in (0.75, 0.25)
    )
    assert lost(one, other) == pytest.approx(0.5 * 0.2)
    assert lost(other, other) == 0.0
    found = first_task("time").measure(QUICK)
    assert isinstance(found, Settling)
    assert [point.rollouts for point in found.points] == [32, 100, 300]
    assert found.decisions == 3
    for point in found.points:
        assert point.mean_ms > 0
        assert point.ci95[0] <= point.lost <= point.ci95[1]


def test_a_mean_of_figures_is_surer_than_each() -> None:
    found = mean_of([Measure(0.1, 0.06, 0.13), Measure(0.3, 0.27, 0.34)])
    assert found == pytest.approx((0.2, 0.175, 0.225))


# --- keeping ------------------------------------------------------------------------------------
def test_figures_are_kept_one_by_one_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    asked: list[str] = []

    def task(name: str, fails: bool = False) -> Task:
        def measure(conditions: Conditions) -> Exploitability:
            asked.append(name)
            if fails:
                raise KeyboardInterrupt
            return Exploitability(exploitability=float("nan"), why="unknown")

        return Task(name, measure)

    with pytest.raises(KeyboardInterrupt):
        FigureFile(path).measure_missing([task("a"), task("b", fails=True), task("c")], QUICK)
    assert json.loads(path.read_text()).keys() == {"a"}
    reported: list[str] = []
    figures = FigureFile(path, report=lambda name, seconds: reported.append(name))
    figures.measure_missing([task(name) for name in "abc"], QUICK)
    assert (figures.measured, asked, reported) == (2, ["a", "b", "b", "c"], ["b", "c"])
    found = json.loads(path.read_text())
    assert list(found["c"]) == ["exploitability", "why", "seconds", "cores", "commit"]
    assert found["c"]["exploitability"] is None
    again = FigureFile(path, again=True)
    again.measure_missing([task("b")], QUICK)
    assert again.measured == 1
    path.write_text("{")
    with pytest.raises(PerudoError, match="cannot be read"):
        FigureFile(path)


def test_recorded_figures_are_read_and_written_alike() -> None:
    """Every field of every recorded figure is known, and would be written in the same order."""
    recorded = json.loads(RECORDED.read_text("utf-8"))
    figures = FigureFile(RECORDED)
    kinds: dict[str, type[Figure]] = {"speed": Speed, "bound": Bound}
    for name, raw in recorded.items():
        kind = kinds.get(name.partition("/")[0], GamesWon)
        kind = Exploitability if name.startswith("bound/exact/") else kind
        kind = Settling if name == thinking_time.SETTLING else kind
        found = figures.find(kind, name)
        assert found is not None
        text = json.dumps(found.model_dump(exclude_unset=True))
        rest = {key: raw[key] for key in raw if key not in ("seconds", "cores", "commit")}
        assert text == json.dumps(rest), name


# --- showing ------------------------------------------------------------------------------------
def some_figures() -> dict[str, Any]:
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


def test_tables_show_figures_beside_goals(tmp_path: Path) -> None:
    text = experiments.markdown(file_of(tmp_path, some_figures()))
    assert "13 figures, 1 minutes, commit abc, def." in text
    goal = "| two players, `common`: at least 55 % of matches against every other agent | "
    assert goal + "50.0 % (46.0 to 54.0) | cfr (worst of 2) | no |" in text
    assert "| `observer` | 100 | 70.0 % (66.0 to 74.0) | yes | 80.0 % (70.0 to 90.0) |" in text
    assert "+10.0 (+4.3 to +15.7) | yes |" in text
    assert "For instance `perudo match champion observer`." in text
    assert "| 36.0 % (33.0 to 39.0) | 30 (20-40); 30 (20-40); 30 (20-40); 30 (20-40) |" in text
    assert "| `common` | 0.0005 (exactly) | - | - |" in text
    assert "saw 9 rounds of the responder" in text
    assert "0.015 (-0.017 to 0.047) |" in text
    assert "| `champion:rollouts=3000` | 3.1 | 100 | 40.0 % (30.0 to 50.0) |" in text
    assert "six players" in text  # goals without figures are listed too
    assert "not measured" in text
    nothing = FigureFile()
    assert experiments.markdown(nothing).count("not measured") == len(goals_of(nothing))


def test_the_page_is_written_between_its_marks_with_a_small_plot(tmp_path: Path) -> None:
    path = tmp_path / PAGE
    path.parent.mkdir()
    path.write_text(f"before\n{experiments.BEGIN}\nformer text\n{experiments.END}\nafter\n")
    experiments.require(tmp_path)
    written = experiments.write(tmp_path, file_of(tmp_path, some_figures()))
    assert [one.suffix for one in written] == [".md", ".png", ".svg"]
    assert all(one.stat().st_size < 100_000 for one in written)
    text = path.read_text()
    assert text.startswith(
        f"before\n{experiments.BEGIN}\nWritten by `python benchmarks/champion.py"
    )
    assert text.endswith(f"{experiments.END}\nafter\n")
    assert "former text" not in text
    assert experiments.write(tmp_path, FigureFile()) == [path]  # no points, no plot
    path.write_text("no marks")
    with pytest.raises(PerudoError, match="no lines '<!-- champion -->'"):
        experiments.require(tmp_path)


def test_the_docs_show_what_is_kept() -> None:
    text = experiments.markdown(FigureFile(RECORDED))
    page = (ROOT / PAGE).read_text("utf-8")
    assert f"{experiments.BEGIN}\n{text}{experiments.END}" in page
