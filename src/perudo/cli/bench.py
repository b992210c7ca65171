"""``perudo bench`` and ``perudo warm``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Ge, Interval

from perudo.cli.options_of import options_of
from perudo.cli.shared import JsonSettings
from perudo.lab.bench import rates
from perudo.lab.warm import warm as compile_all


@dataclass(frozen=True, kw_only=True)
class BenchSettings(JsonSettings):
    """Settings of the benchmark."""

    seconds: Annotated[float, Ge(0.1)] = 2.0
    """Seconds for each row."""
    section: list[str] = field(default_factory=list)
    """Measure only this section: rounds, environments, matches, rollouts, decisions, searching or
    solving. May be repeated."""


@options_of(BenchSettings)
def bench(settings: BenchSettings) -> None:
    """Measure speed on one core.

    If OpenSpiel is installed, it is measured for comparison.
    """
    rows = rates.run(settings.seconds, settings.section or list(rates.SECTIONS))
    if settings.json:
        print(json.dumps(rows.data()))
    else:
        rates.show(rows)


@dataclass(frozen=True, kw_only=True)
class WarmSettings(JsonSettings):
    """Settings of the compilation."""

    workers: Annotated[int, Interval(ge=1, le=64)] = 2
    """Number of processes."""


@options_of(WarmSettings)
def warm(settings: WarmSettings) -> None:
    """Compile the agents in advance, not on first use."""

    def report(line: str) -> None:
        if not settings.json:
            print(f"compiled {line}", flush=True)

    seconds = compile_all(settings.workers, report)
    if settings.json:
        print(json.dumps({"seconds": round(seconds, 2)}))
    else:
        print(f"all agents are compiled ({seconds:.0f} s)")
