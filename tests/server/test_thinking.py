"""Built-in AIs in processes: answers, deadlines, replacement, and limits of what can be asked."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.server.opponents import LEVELS, offered, opponent
from perudo.server.thinking import Thinkers, ThinkingError
from perudo.table import SeededDice, Table

HANGING = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if question["agent"] == "observer":
        time.sleep(60)
    if question["agent"] == "macleod":
        sys.exit(3)
    if question["agent"] == "ensemble":
        print("not JSON", flush=True)
    print(json.dumps({"actions": [1], "memories": None, "memory_width": 0}), flush=True)
"""


def question() -> tuple[Table, int]:
    table = Table(PERUDO, Rules.preset("common"), ["a", "b"], SeededDice(3))
    assert table.actor is not None
    table.act(table.actor, "2x3")
    assert table.actor is not None
    return table, table.actor


def test_an_ai_decides_in_another_process_and_remembers() -> None:
    async def main() -> None:
        thinkers = Thinkers(1, 2048)
        table, seat = question()
        try:
            assert await thinkers.prepare("probabilistic") == 0
            view = table.observe(seat)
            thought = await thinkers.decide("probabilistic", view.record, None, 30.0)
            assert thought.action in view.legal_actions
            assert thought.memory is None
        finally:
            await thinkers.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("agent", "problem"),
    [("observer", "did not answer"), ("macleod", "exit code 3"), ("ensemble", "Expecting value")],
)
def test_a_hanging_or_crashing_ai_is_replaced_and_delays_nobody(
    agent: str, problem: str, tmp_path: Path
) -> None:
    script = tmp_path / "hanging.py"
    script.write_text(HANGING)

    async def main() -> None:
        thinkers = Thinkers(1, 512, [sys.executable, str(script)])
        table, seat = question()
        record = table.observe(seat).record
        try:
            failing = asyncio.create_task(thinkers.decide(agent, record, None, 2.0))
            await asyncio.sleep(0)
            thought = await thinkers.decide("dumb", record, None, 10.0)
            assert thought.action == "dudo"
            with pytest.raises(ThinkingError, match=problem):
                await failing
            assert thinkers.replaced == 1
            assert (await thinkers.decide("dumb", record, None, 10.0)).action == "dudo"
        finally:
            await thinkers.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "wish",
    [
        "examples/my_agent.py:Careful",
        "cmd:true",
        "human",
        "mcts-observer:rollouts=1000000",
        "mcts-random:cap=1000000",
        "mcts-observer:time_limit=60",
        "pomcp:repeats=1000",
        "dumb:generated=999999",
        "nobody",
        "",
    ],
)
def test_only_agents_of_the_registry_within_limits_sit_down(wish: str) -> None:
    with pytest.raises(PerudoError):
        opponent(wish, None)


def test_levels_and_all_offered_agents_can_sit_down() -> None:
    for level in LEVELS:
        assert opponent(None, level).spec == opponent(LEVELS[level].agent, None).spec
    for name in offered():
        assert opponent(name, None).name == name
    with pytest.raises(PerudoError, match="unknown level"):
        opponent(None, "godlike")
    with pytest.raises(PerudoError, match="either"):
        opponent("observer", "strong")
