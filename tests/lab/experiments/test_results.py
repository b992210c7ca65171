"""Results of experiments: storing, drawing, writing and printing them."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from rich.console import Console

from perudo.cli import reproduce as reproduce_view
from perudo.games.errors import PerudoError
from perudo.lab import plots
from perudo.lab.charts import Bars, Chart, Heat, Lines, Stacks
from perudo.lab.experiments import page as results_page
from perudo.lab.experiments import results
from perudo.lab.experiments.experiment import Conditions, Experiment, Findings, Row
from perudo.lab.experiments.measures import Measure
from perudo.lab.experiments.results import ResultWriter, perform
from perudo.lab.papers import EXPERIMENTS

CHART = Chart(
    [
        Bars(
            "b",
            "u",
            ("x", "y"),
            {"reported": (1, 2), "measured": (1.5, None)},
            {"measured": ((1, 2), None)},
        ),
        Stacks("s", "u", ("x", "y"), {"one": (1, 2), "two": (3, None)}),
        Heat("h", ("r",), ("c", "d"), ((1.0, None),), (("1", ""),), scale=(0, 2)),
        Lines("l", "x", "u", (1, 10), {"a": (1, 2)}, {"a": ((0, 2), (1, 3))}, True, {"even": 1.5}),
    ],
    columns=2,
)


def test_charts_are_drawn_small(tmp_path: Path) -> None:
    png, svg = plots.save(CHART, tmp_path / "4.1-4.4")
    assert (png.name, svg.name) == ("4.1-4.4.png", "4.1-4.4.svg")
    with Image.open(png) as image:
        assert image.size == (780, 520)
        assert len(image.convert("RGB").getcolors() or []) > 10
    assert png.stat().st_size < 60_000
    drawn = svg.read_text()
    assert "<svg" in drawn
    plots.save(CHART, tmp_path / "4.1-4.4")
    assert svg.read_text() == drawn
    figure = plots.draw(CHART)
    bars = figure.axes[0].patches
    assert [bar.get_height() for bar in bars] == [1, 2, 1.5]  # type: ignore[attr-defined]  # bars
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["reported", "measured", "one", "two", "a", "even"]


def experiment(rows: list[Row], chart: Chart | None = None, **options: Any) -> Experiment:
    made = Findings(rows, chart, **options)
    return Experiment(
        "1a", "a | title", "Paper", "It says.", "as said", lambda _: made, reason="Because."
    )


def test_a_result_is_kept_and_written(tmp_path: Path) -> None:
    rows = [
        Row("good", Measure(50.0, 48.0, 52.0), reported=51.0, reported_range=(40.0, 62.0)),
        Row("bad", Measure(1250.0, 1240.0, 1260.0), reported=1300.0, digits=0),
        Row("word", Measure(1.0, 0.5, 1.5), says="more", claim=(0.0, 9.0), unit="points"),
    ]
    added = [Row("mine in place of x", Measure(10.0, 5.0, 15.0), unit="%")]
    writer = ResultWriter(tmp_path, EXPERIMENTS)
    kept, findings = perform(
        experiment(rows, CHART, added=added, notes=["A note."]), Conditions(seed=7), "perudo x"
    )
    writer.write(kept, findings)
    page = writer.page.read_text()
    assert "| good | 51.0 (40.0 to 62.0) | 50.0 | 48.0 to 52.0 | agrees |" in page
    assert "| bad | 1,300 | 1,250 | 1,240 to 1,260 | differs by -50 |" in page
    assert "| word | more | 1.0 points | 0.5 to 1.5 | agrees |" in page
    assert "**Verdict: differs in 1, agrees in 2 of 3.** Likely reason: Because." in page
    assert "| mine in place of x | 10.0 % | 5.0 to 15.0 |" in page
    assert "- A note." in page
    assert "Run: `perudo x`, seed 7, commit " in page
    assert "| [1a](#1a-a--title) | a | title | differs in 1, agrees in 2 of 3 |" in page
    assert "![a | title](figures/1a.png)" in page
    assert (tmp_path / "figures/1a.png").is_file()
    assert (tmp_path / "figures/1a.svg").is_file()
    data = json.loads((tmp_path / "data/1a.json").read_text())
    assert data["rows"][1]["ci95"] == [1240.0, 1260.0]
    assert data["figure"]


def test_sections_of_other_experiments_stay(tmp_path: Path) -> None:
    """Also where their data are not: the page is committed, the data are not."""
    first = experiment([Row("old", 1.0, reported=1.0)])
    other = Experiment("S3-1", "t", "Other", "r", "s", lambda _: Findings([Row("new", 2.0)]))
    ResultWriter(tmp_path, EXPERIMENTS).write(*perform(other, Conditions(), "perudo y"))
    ResultWriter(tmp_path, EXPERIMENTS).write(*perform(first, Conditions(quick=True), "perudo x"))
    (tmp_path / "data/S3-1.json").unlink()
    before = (tmp_path / "results.md").read_text()
    assert "agrees (fewer games) |" in before
    again = experiment([Row("again", 1.0, reported=2.0)])
    ResultWriter(tmp_path, EXPERIMENTS).write(*perform(again, Conditions(), "perudo z"))
    page = (tmp_path / "results.md").read_text()
    assert "| old |" not in page
    assert "`perudo x`" not in page
    assert page[page.index("### S3-1") :] == before[before.index("### S3-1") :]
    assert page.index("| [1a]") < page.index("| [S3-1](#s3-1-t) | t | not reported |")
    assert page.index("## Perudo thesis") < page.index("### 1a") < page.index("### S3-1")


def test_a_reason_is_given_only_where_something_differs(tmp_path: Path) -> None:
    kept, _ = perform(experiment([Row("", 1.0, reported=1.0)]), Conditions(), "x")
    assert kept["reason"] == ""
    kept, _ = perform(experiment([Row("", None, why="needs people")]), Conditions(), "x")
    assert results_page.verdict_text(kept["rows"][0]) == "cannot be compared: needs people"


def test_data_holds_only_what_json_has() -> None:
    assert results.plain({"a": [float("inf"), (1.5,)]}) == {"a": [None, [1.5]]}


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PerudoError, match="cannot write to"):
        ResultWriter(tmp_path / "file", EXPERIMENTS)


def test_the_page_in_the_docs_tells_of_every_experiment() -> None:
    docs = Path(__file__).parents[3] / "docs"
    page = (docs / "results.md").read_text("utf-8")
    for one in EXPERIMENTS:
        _, found, rest = page.partition(f"\n### {one.id} {one.title}\n")
        assert found, one.id
        told = rest.partition("\n### ")[0]
        assert re.search(r"\nRun.*: `perudo reproduce .*`, seed \d+, commit ", told), one.id
    for figure in re.findall(r"\]\((figures/.*?\.png)\)", page):
        assert (docs / figure).stat().st_size < 50_000


def test_labels_are_whole_on_a_narrow_terminal() -> None:
    label = "sl-dumb:one_die_rule=yes,prob=.25: games won of 500"
    row = Row(label, Measure(200.0, 190.0, 210.0), reported=225.0, unit="of 500", digits=0)
    kept, _ = perform(experiment([row]), Conditions(), "x")
    for width in (80, 140):
        console = Console(width=width, file=io.StringIO())
        reproduce_view.show(console, kept)
        shown = console.file.getvalue()  # type: ignore[attr-defined]  # it is a StringIO
        assert label in shown
        assert "190 to 210" in shown
        assert "differs by -25" in shown


# --- the command --------------------------------------------------------------------------------
def perudo(*arguments: str, place: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-m", "perudo", "reproduce", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=place,
        timeout=120,
        check=False,
    )


def test_without_ids_the_experiments_are_listed(tmp_path: Path) -> None:
    listed = perudo(place=tmp_path)
    assert listed.returncode == 0
    assert "RO-obs-opp  Observer rollouts against an observer" in listed.stdout
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_and_writes(tmp_path: Path) -> None:
    done = perudo("1b", "S3-h", "--quick", "--out", "here", place=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "cannot be compared: the thesis goes from 1a to 1c" in done.stdout
    page = (tmp_path / "here/results.md").read_text()
    assert "`perudo reproduce 1b S3-h --quick --out here`" in page
    again = perudo("5.5", "--json", "--seed", "3", place=tmp_path)
    data = json.loads(again.stdout)
    assert (data["seed"], data["quick"]) == (3, False)
    assert data["experiments"][0]["verdict"] == "cannot be compared"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here"]  # only --out and all write


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nonsense"], "no experiment 'nonsense'; there are: 1a, "),
        (["1b", "--add", "nobody"], "unknown agent 'nobody'"),
        (["5.5", "--records", "nowhere"], "--records nowhere should be a directory"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    done = perudo(*arguments, place=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("perudo: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_what_was_finished_is_kept_when_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(conditions: Conditions) -> Findings:
        raise KeyboardInterrupt

    experiments = [experiment([Row("good", 1.0, reported=1.0)])]
    experiments.append(Experiment("1b", "t", "Paper", "r", "s", interrupt))
    monkeypatch.setattr(reproduce_view, "select", lambda words: experiments)
    code = reproduce_view.run(["x"], Conditions(), [], tmp_path, False)
    assert code == 130
    shown = capsys.readouterr()
    assert "verdict: agrees" in shown.out
    assert "interrupted after 1 of 2 experiments" in shown.err
    assert (tmp_path / "data/1a.json").is_file()
    assert "### 1a " in (tmp_path / "results.md").read_text()


def test_all_writes_to_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = experiment([Row("good", 1.0, reported=1.0)], CHART)
    monkeypatch.setattr(reproduce_view, "select", lambda words: [one])
    monkeypatch.chdir(tmp_path)
    assert reproduce_view.run(["all"], Conditions(), [], None, True) == 0
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    figures = ["docs/figures/1a.png", "docs/figures/1a.svg"]
    assert written == ["docs/data/1a.json", *figures, "docs/results.md"]
