"""Built-in AIs in processes: answers, deadlines, replacement, and limits of what can be asked."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from perudo.agents.external.line_process import LineProcess
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.server.ai.callers import SERVER
from perudo.server.ai.catalogue import LEVELS, offered, opponent
from perudo.server.ai.fair_queue import Call
from perudo.server.ai.pool import AiError, AiPool
from perudo.server.rooms.room import Room
from perudo.table import SeededDice, Table
from server.world import awaited, world

HANGING = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if question["agent"] == "observer" and question["do"] == "decide":
        time.sleep(60)
    if question["agent"] == "macleod":
        sys.exit(3)
    if question["agent"] == "ensemble":
        print("not JSON", flush=True)
    print(json.dumps({"actions": [1], "memories": None, "memory_width": 0}), flush=True)
"""


GREEDY = """
import numpy as np
from perudo.agents import AGENTS, agent_named
from perudo.agents.agent import Agent
from perudo.server.ai import worker

class Greedy(Agent):
    name = "greedy"
    def decide(self, observation, memory, stream):
        held = []
        while len(held) * 64 < 8192:  # 8 GiB: far more than it may have
            held.append(np.ones(64 << 17))
        return "dudo"

AGENTS["greedy"] = Greedy
worker.main()
"""


def question() -> tuple[Table, int]:
    table = Table(PERUDO, Rules.preset("common"), ["a", "b"], SeededDice(3))
    assert table.actor is not None
    table.act(table.actor, "2x3")
    assert table.actor is not None
    return table, table.actor


def test_an_ai_decides_in_another_process_and_remembers() -> None:
    async def main() -> None:
        pool = AiPool(1, 2048)
        table, seat = question()
        try:
            assert await pool.prepare("probabilistic") == 0
            view = table.observe(seat)
            action = await pool.decide("probabilistic", view.record, None, 30.0)
            assert action in view.legal_actions
        finally:
            await pool.close()

    asyncio.run(main())


def test_processes_can_be_renewed_and_prepare_again() -> None:
    """Processes that compiled use more memory than processes that loaded the cache."""

    async def main() -> None:
        pool = AiPool(1, 2048)
        table, seat = question()
        try:
            await pool.prepare("probabilistic")
            (before,) = pool._idle
            pool.renew()
            await pool.prepare("probabilistic")
            (after,) = pool._idle
            assert after.pid != before.pid
            record = table.observe(seat).record
            assert await pool.decide("probabilistic", record, None, 30.0)
            assert pool.replaced == 0
        finally:
            await pool.close()

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
        pool = AiPool(1, 512, [sys.executable, str(script)])
        table, seat = question()
        record = table.observe(seat).record
        try:
            failing = asyncio.create_task(pool.decide(agent, record, None, 2.0))
            await asyncio.sleep(0)
            assert await pool.decide("dumb", record, None, 10.0) == "dudo"
            assert agent != "observer" or not failing.done()
            with pytest.raises(AiError, match=problem):
                await failing
            assert pool.replaced == 1
            assert await pool.decide("dumb", record, None, 10.0) == "dudo"
        finally:
            await pool.close()

    asyncio.run(main())


REVIEWING = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if question["do"] == "review_next":
        time.sleep(60)
    print(json.dumps({"actions": [1], "decision": {"n": 2}}), flush=True)
"""


def test_a_review_delays_no_ai_and_ends_when_it_is_given_up() -> None:
    async def main() -> None:
        pool = AiPool(1, 512, [sys.executable, "-c", REVIEWING])
        table, seat = question()
        found: list[str] = []
        try:
            reviewing = asyncio.create_task(pool.review([], ["champion"], None, 20, found.append))
            while not found:
                await asyncio.sleep(0.01)
            assert found == ['{"n":2}']
            (reviewer,) = pool._reviewing
            record = table.observe(seat).record
            assert await pool.decide("dumb", record, None, 10.0) == "dudo"
            assert {process.pid for process in pool._idle} != {reviewer.pid}
            reviewing.cancel()
            await asyncio.gather(reviewing, return_exceptions=True)
            assert not pool._reviewing
        finally:
            await pool.close()

    asyncio.run(main())


def test_a_process_over_its_memory_limit_is_replaced(tmp_path: Path) -> None:
    script = tmp_path / "greedy.py"
    script.write_text(GREEDY)

    async def main() -> None:
        pool = AiPool(1, 1024, [sys.executable, str(script)])
        table, seat = question()
        view = table.observe(seat)
        try:
            first = (await pids(pool, view.record)).pop()
            # On a busy machine its output is seen to end before the process itself does.
            with pytest.raises(AiError, match=r"ended with exit code|closed its standard"):
                await pool.decide("greedy", view.record, None, 60.0)
            assert pool.replaced == 1
            assert await pids(pool, view.record) != {first}
            with pytest.raises(ProcessLookupError):
                os.kill(first, 0)
        finally:
            await pool.close()

    async def pids(pool: AiPool, record: Any) -> set[int]:
        assert await pool.decide("random", record, None, 60.0)
        return {process.pid for process in pool._idle}

    asyncio.run(main())


def test_who_gives_up_waiting_takes_no_process_with_them() -> None:
    """A process may become free at the very moment in which a caller gives up."""

    class Process:
        def end(self, at_once: bool) -> None:
            """Do nothing."""

    async def main() -> None:
        pool, process = AiPool(1, 512), cast(LineProcess, Process())
        loop = asyncio.get_running_loop()
        try:
            pool._running = 1  # it is busy
            waiting = asyncio.create_task(pool._take(call(pool), loop.time() + 60.0))
            await asyncio.sleep(0)
            pool._give_back(process)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert pool._idle == [process]
            assert await pool._take(call(pool), loop.time()) is process
            with pytest.raises(AiError, match="busy"):
                await pool._take(call(pool), loop.time() + 0.01)
            assert not pool.waiting
            pool._give_back(process)
            assert pool._idle == [process]
        finally:
            pool._idle.clear()
            await pool.close()

    def call(pool: AiPool) -> Call[LineProcess]:
        return pool._call("observer", SERVER)

    asyncio.run(main())


def test_a_hanging_ai_at_one_table_does_not_delay_another(tmp_path: Path) -> None:
    script = tmp_path / "hanging.py"
    script.write_text(HANGING)

    async def main() -> None:
        pool = AiPool(1, 512, [sys.executable, str(script)])
        async with world(tmp_path, think_seconds=20.0) as here:
            await here.service.pool.close()
            here.service.pool = pool
            (person,) = await here.guests(1)
            dumb = {"kind": "ai", "agent": "dumb"}

            async def until(room: Room, reached: Callable[[], bool]) -> None:
                for _ in range(1500):
                    if reached():
                        return
                    await here.settle(room, 0.01)
                    await asyncio.sleep(0.005)
                raise AssertionError("the table is delayed")

            seats = [{"kind": "ai", "agent": "observer"}, dumb]
            hanging = await here.table(person, seats, rules="common:dice=1", pace=0.001)
            await until(hanging, lambda: is_asked(hanging, 0) and bool(pool._busy))
            other = await here.table(person, [dumb, dumb], rules="common:dice=1", pace=0.001)
            await until(other, lambda: other.table.status == "finished")
            assert is_asked(hanging, 0)  # it still thinks
            assert pool.replaced == 0

    def is_asked(room: Room, seat: int) -> bool:
        return seat in awaited(room)

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


TELLING = """
import json, os, sys
for line in sys.stdin:
    print(json.dumps({"memory_width": int(os.environ["MALLOC_TRIM_THRESHOLD_"])}), flush=True)
"""


def test_processes_of_ais_are_told_to_give_memory_back() -> None:
    async def main() -> int:
        pool = AiPool(1, 512, [sys.executable, "-c", TELLING])
        try:
            return await pool.prepare("observer")
        finally:
            await pool.close()

    assert asyncio.run(main()) == 1 << 20
