"""``perudo review``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from perudo.cli.options_of import options_of
from perudo.games.errors import PerudoError
from perudo.games.game import SEATS, seat_name
from perudo.record import MatchRecord
from perudo.review import ADVISER, MODEL, Opinion, Reviewed, costliest
from perudo.review import review as review_match
from perudo.transcript import parse_record

THOUGHTS = 3
"""The number of an agent's considered actions to show."""


@dataclass(frozen=True, kw_only=True)
class ReviewSettings:
    """Settings of a review."""

    record: Annotated[str, typer.Argument()]
    """Record or transcript file; - reads the standard input."""
    player: list[str] = field(default_factory=list)
    """Review only this player, given by name or seat. May be repeated."""
    agent: list[str] = field(default_factory=list)
    """Show this agent's choices; default: champion. May be repeated."""
    model: str = MODEL
    """Agent that estimates costs; any but champion plays on in every seat."""
    samples: Annotated[int, Ge(0)] = 2000
    """Deals to sample for each decision; 0: no costs."""
    seed: int = 1
    """Random seed of the deals."""
    json: bool = False
    """Print one JSON object per decision."""


@options_of(ReviewSettings)
def review(settings: ReviewSettings) -> None:
    """Review a finished game, decision by decision.

    Each decision is judged by what its player could know at the time.
    """
    record = read(settings.record)
    decisions = []
    for decision in review_match(
        record,
        seats=seats_of(record, settings.player),
        agents=settings.agent or [ADVISER],
        model=settings.model,
        samples=settings.samples,
        seed=settings.seed,
    ):
        decisions.append(decision)
        if settings.json:
            print(json.dumps(decision.data(), separators=(",", ":")), flush=True)
    if not settings.json:
        show(decisions, settings.model, settings.samples)


def read(path: str) -> MatchRecord:
    """Read a record or transcript from a file, or from the standard input."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PerudoError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PerudoError(f"{path} is not a record: it is not text") from None
    return parse_record(text)


def seats_of(record: MatchRecord, names: Sequence[str]) -> list[int] | None:
    """Return the seats with these letters or players' names, or None, which means all, if empty."""
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
            raise PerudoError(f"no player is called {name!r} in this game; there are: {there}")
    return seats


def show(decisions: Sequence[Reviewed], model: str, samples: int) -> None:
    """Print the review for people."""
    console = Console(highlight=False)
    worst = costliest(decisions)
    if samples:
        if worst:
            console.print(Text("Costliest decisions", "bold"))
            for decision in worst:
                console.print(f"  {_cost_line(decision)}", style="red")
        else:
            console.print("No decision was clearly a mistake.")
        way = f"if {model} played on in every seat; hidden dice are weighted by its likely bids"
        if model.partition(":")[0] == MODEL:
            way = "in the champion's judgement; hidden dice are weighted by the bids made"
        console.print(
            "Costs and luck are percentage points of the chance to win, with 95 % intervals, given "
            f"what the player could know, {way}.",
            style="dim",
        )
    names = {each.seat: f"{seat_name(each.seat)} {each.player}" for each in decisions}
    widest = max((len(name) for name in names.values()), default=0)
    round = None
    for each in decisions:
        if each.round != round:
            round = each.round
            hands = zip(SEATS, each.hands, strict=False)
            dice = "   ".join(f"{seat} {hand}" for seat, hand in hands if hand)
            console.print(Text(f"\nRound {round}", "bold").append(f"   {dice}", "not bold dim"))
        flagged = each.cost is not None and each.cost.flagged
        line = f"  {names[each.seat]:{widest}}  {each.action:<7} {_truth(each):<16} {_cost(each)}"
        console.print(Text(line.rstrip(), "bold red" if flagged else ""))
        for opinion in each.opinions:
            console.print(Padding(Text(_advice(opinion), "dim"), (0, 0, 0, 6), expand=False))


def _truth(decision: Reviewed) -> str:
    if decision.chance is None:
        return ""
    said = "" if decision.truth is None else (": yes" if decision.truth else ": no")
    return f"true {decision.chance:.0%}{said}"


def _cost(decision: Reviewed) -> str:
    cost = decision.cost
    if cost is None:
        return ""
    text = "no clear cost"
    if cost.flagged:
        text = f"cost {_points(cost.cost)} ({_points(cost.low)} to {_points(cost.high)})"
    return f"{text:<25} luck {100 * cost.luck:+.1f}"


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _advice(opinion: Opinion) -> str:
    why = []
    if opinion.phase is not None:
        why.append(opinion.phase)
    if opinion.chance is not None:
        why.append(f"chance that the bid holds {opinion.chance:.0%}")
    if opinion.rollouts:
        why.append(f"{opinion.rollouts} rollouts")
    if opinion.probabilities:
        shares = list(opinion.probabilities.items())[:THOUGHTS]
        why.append("considers " + ", ".join(f"{action} {share:.0%}" for action, share in shares))
    elif opinion.values:
        values = list(opinion.values.items())[:THOUGHTS]
        why.append("values " + ", ".join(f"{action} {value:.3f}" for action, value in values))
    return f"{opinion.agent}: {opinion.action}" + (f" ({'; '.join(why)})" if why else "")


def _cost_line(decision: Reviewed) -> str:
    cost = decision.cost
    assert cost is not None
    return (
        f"round {decision.round}, {decision.player}: {decision.action} cost {_points(cost.cost)} "
        f"({_points(cost.low)} to {_points(cost.high)}); better: {cost.best}"
    )
