"""Compile in advance the kernels that playing and comparing agents need, so that no one waits.

Kernels that only ``perft``, ``bench``, ``solve``, the agents that search any game, and matches of
other games need are compiled on first use: all of them would take more than a minute.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.registry import AGENTS, agent_named
from perudo.games import game as generic
from perudo.games import game_named, games
from perudo.games.chance import key_of, stream_of
from perudo.games.kernel import INTERPRETED, cache_directory, forget_old_caches
from perudo.games.perudo import PERUDO, Rules
from perudo.lab import arena
from perudo.lab.contest import Contest

FIRST = ("random", "probabilistic", "mcts-random")
"""Agents to compile first: two small ones, then the largest, which takes as long as the rest."""
LATER = ("pomcp", "pomcp-pgt-ucb", "pomcp-pgt-rm", "cfr", "champion")
"""Agents that are compiled on first use."""


def warm_operations(name: str) -> str:
    """Call every operation of a game from Python once, to compile it."""
    game = game_named(name)
    state = game.start(game.setting(game.presets[0]), game.properties.min_players)
    operations, stream = game.operations, stream_of(0)
    records = np.zeros(2, game.dtype)
    record = records[0]
    operations.copy(record, state.record)
    operations.chance_count(record)
    if state.awaits_deal:
        operations.deal(record, key_of(0))
    for seat in range(state.players):
        operations.information_key(record, seat)
        operations.redeal(record, seat, stream)
    while operations.actor(record) >= 0 and not operations.round_over(record):
        action = operations.action(record, operations.action_count(record) - 1)
        operations.refusal(record, action)
        operations.apply(record, action)
    for horizon in (generic.ROUND, generic.MATCH):
        operations.payoff(record, horizon, 0)
    operations.observe(record, 0)
    return f"the rules of {name}"


def warm_arena(name: str) -> str:
    """Compile the arena for a game."""
    game = game_named(name)
    agents = [agent_named("random")] * game.properties.min_players
    arena.run(Contest(game, game.setting(game.smallest), agents, 1))
    return f"the arena of {name}"


def warm_agent(name: str) -> str:
    """Compile an agent of Perudo for the arena and for calls from Python."""
    agent = agent_named(name)
    if isinstance(agent, CompiledAgent):
        record = PERUDO.start(Rules.preset("common"), 2).deal(1).observe(0)
        agent.decide(record, agent.new_memory(), stream_of(0))
        agent.learn(record, agent.new_memory())
    return name


def warm(workers: int = 2, report: Callable[[str], None] = lambda line: None) -> float:
    """Compile everything in a few processes, under a lock, and return the seconds it took."""
    started = time.perf_counter()
    if INTERPRETED:
        return 0.0
    with open(cache_directory() / "warm.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            # Later tasks find their parts compiled. The largest come early, so that no worker is
            # left alone with them at the end.
            names = sorted(games(), key=lambda name: name != "perudo")
            tasks = [(warm_operations, name) for name in names]
            tasks += [(warm_agent, name) for name in FIRST]
            tasks += [(warm_arena, "perudo")]
            tasks += [(warm_agent, name) for name in AGENTS if name not in (*FIRST, *LATER)]
            for done in as_completed([pool.submit(task, name) for task, name in tasks]):
                report(done.result())
    forget_old_caches()
    return time.perf_counter() - started
