"""A review in the terminal: the costliest moves, then every decision."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from perudo.games.errors import PerudoError
from perudo.games.state import SEATS, seat_name
from perudo.record import MatchRecord
from perudo.review import MODEL, Opinion, Reviewed, costliest, review
from perudo.transcript import parse_record


def read(path: str) -> MatchRecord:
    """A record or transcript from a file, or from the standard input."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PerudoError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PerudoError(f"{path} is not a record: it is not text") from None
    return parse_record(text)


def seats_of(record: MatchRecord, names: Sequence[str]) -> list[int] | None:
    """Seats by letter or by the player's name; none given: all."""
    if not names:
        return None
    seats = []
    for name in names:
        if name in record.players:
            seats.append(record.players.index(name))
        elif name in SEATS[: len(record.players)]:
            seats.append(SEATS.index(name))
        else:
            there = ", ".join(record.players)
            raise PerudoError(f"nobody is called {name!r} in this game; there are: {there}")
    return seats


def run_review(
    path: str,
    players: Sequence[str],
    agents: Sequence[str],
    model: str,
    samples: int,
    seed: int,
    as_json: bool,
) -> int:
    """Print a review; with ``as_json`` one line for each decision, as it is found."""
    record = read(path)
    decisions = []
    for decision in review(
        record,
        seats=seats_of(record, players),
        agents=list(agents) or [MODEL],
        model=model,
        samples=samples,
        seed=seed,
    ):
        decisions.append(decision)
        if as_json:
            print(json.dumps(decision.data(), separators=(",", ":")), flush=True)
    if not as_json:
        show(decisions, model, samples)
    return 0


def show(decisions: Sequence[Reviewed], model: str, samples: int) -> None:
    """Print it for people."""
    console = Console()
    worst = costliest(decisions)
    if samples:
        if worst:
            console.print(Text("What cost most", "bold"))
            for decision in worst:
                console.print(f"  {_cost_line(decision)}")
        else:
            console.print("No move certainly cost anything.")
        console.print(
            f"Costs in chance to win, with 95 % intervals, if {model} played on in every seat; "
            f"from what the player could know: hidden dice are weighed by what {model} would have "
            "bid with them.\n",
            style="dim",
        )
    grid = Grid("round", "who", "bid", "said", "true?", "cost", "luck", "advice", box=SIMPLE_HEAD)
    for each in decisions:
        cost = "" if each.cost is None else f"{each.cost.cost:+.3f}"
        if each.cost is not None and each.cost.flagged:
            cost += f" [{each.cost.low:.3f}, {each.cost.high:.3f}]"
        grid.add_row(
            str(each.round),
            f"{seat_name(each.seat)} {each.player}",
            each.bid or "-",
            each.action,
            "" if each.chance is None else f"{each.chance:.0%}{_mark(each.truth)}",
            Text(cost, "bold red" if each.cost is not None and each.cost.flagged else ""),
            "" if each.cost is None else f"{each.cost.luck:+.3f}",
            "; ".join(_advice(opinion) for opinion in each.opinions),
        )
    console.print(grid)


def _mark(truth: bool | None) -> str:
    return "" if truth is None else (", yes" if truth else ", no")


def _advice(opinion: Opinion) -> str:
    why = []
    if opinion.phase is not None:
        why.append(opinion.phase)
    if opinion.chance is not None:
        why.append(f"the bid holds {opinion.chance:.0%}")
    return f"{opinion.agent}: {opinion.action}" + (f" ({', '.join(why)})" if why else "")


def _cost_line(decision: Reviewed) -> str:
    cost = decision.cost
    assert cost is not None
    return (
        f"round {decision.round}, {decision.player}: {decision.action} cost {cost.cost:.3f} "
        f"[{cost.low:.3f}, {cost.high:.3f}]; better: {cost.best}"
    )
