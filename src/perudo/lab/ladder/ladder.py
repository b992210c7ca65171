"""The ladder: all agents rated against each other, at tables of several sizes.

Each table size is a tournament of its own (duplicate blocks, rotated seats, ratings that do not
depend on the order of play). Memories are cleared before every game, as if the agents met for the
first time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from perudo.agents.agent import Player
from perudo.agents.registry import AGENTS, agent_named
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.timing import timed_decision
from perudo.lab.tournament.summaries import AgentSummary, Summary
from perudo.lab.tournament.tournament import Tournament
from perudo.ratings import START
from perudo.table import SeededDice, Table

PLAYERS = (2, 4, 6)
GAMES, QUICK_GAMES = 1000, 100
"""Games of each agent at each table size."""
NOT_RATED = frozenset({"human"})
BUDGETS = {
    "mcts-random": "rollouts=1000",
    "mcts-observer": "rollouts=1000",
    "ensemble": "rollouts=1000",
    "pomcp": "iterations=1000",
    "pomcp-pgt-ucb": "iterations=1000",
    "pomcp-pgt-rm": "iterations=1000",
}
"""Search budgets of the slow agents; the others have their default parameters."""
VARIANTS = dict.fromkeys(("mcts-random", "mcts-observer", "ensemble"), "pseudo_rolls=believed")
"""Parameters with which an agent is rated a second time."""
TIMED_DECISIONS = 300
"""Decisions of each agent that are timed."""


class Times(TypedDict):
    """Milliseconds of an agent's decisions."""

    mean_ms: float
    slowest_ms: float


class SizeRating(TypedDict):
    """An agent's rating at one table size."""

    rating: float
    ci95: list[float]
    games: int
    win_rate: float


class LadderRow(Times):
    """An agent on the ladder."""

    agent: str
    spec: str
    mean: float
    ratings: dict[str, SizeRating]


class Provenance(TypedDict):
    """The command, rules and seed of a ladder."""

    command: str
    rules: str
    seed: int


class Ladder(Provenance):
    """The ladder as JSON, the best agent first."""

    players: list[int]
    games: dict[str, int]
    agents: list[LadderRow]


def roster() -> list[str]:
    """Return all agents to rate, with their budgets."""
    words = []
    for name in AGENTS:
        if name not in NOT_RATED:
            parts = [BUDGETS[name]] if name in BUDGETS else []
            words.append(_word(name, parts))
            if name in VARIANTS:
                words.append(_word(name, [*parts, VARIANTS[name]]))
    return words


def _word(name: str, parameters: Sequence[str]) -> str:
    return name + (":" + ",".join(parameters) if parameters else "")


def eligible(words: Sequence[str], rules: Rules, players: int) -> list[str]:
    """Return the agents that can play at a table of this size."""
    return [word for word in words if agent_named(word).cannot_play(PERUDO, rules, players) is None]


def tournament(words: Sequence[str], rules: Rules, players: int, seed: int) -> Tournament:
    """Return the tournament at one table size."""
    entered = eligible(words, rules, players)
    if players > len(entered):
        raise PerudoError(f"tables of {players} need {players} agents; {len(entered)} can play")
    return Tournament(
        agents=tuple(entered),
        players=players,
        seed=seed,
        rules=PERUDO.describe_setting(rules),
    )


def blocks_for(one: Tournament, games_each: int) -> int:
    """Return the number of blocks that give every agent about this many games."""
    return one.blocks(-(-games_each * len(one.agents) // one.players))


# --- how long they think ------------------------------------------------------------------------
def decision_times(
    words: Sequence[str], rules: Rules, players: int, decisions: int = TIMED_DECISIONS
) -> dict[str, Times]:
    """Return the mean and the slowest time of each agent's decisions, in processor milliseconds.

    The agent takes all seats of a table, or of a table of two if it cannot play at a larger one.
    """
    times: dict[str, Times] = {}
    for word in words:
        agent = agent_named(word)
        seats = players if agent.cannot_play(PERUDO, rules, players) is None else 2
        with agent.prepare(PERUDO.start(rules, seats)) as player:
            spent = sorted(_decision_seconds(player, rules, seats, decisions))
        times[word] = {
            "mean_ms": round(1000 * sum(spent) / len(spent), 4),
            "slowest_ms": round(1000 * spent[-1], 4),
        }
    return times


def _decision_seconds(player: Player, rules: Rules, seats: int, decisions: int) -> list[float]:
    """Return the processor seconds of each of a number of decisions."""
    memory, stream, names = player.new_memory(), stream_of(1), [str(seat) for seat in range(seats)]
    spent: list[float] = []
    table = Table(PERUDO, rules, names, SeededDice(1))
    player.decide(table.observe(table.actor or 0), memory, stream)  # load the kernels
    while len(spent) < decisions:
        if table.actor is None:
            table = Table(PERUDO, rules, names, SeededDice(len(spent)))
        assert table.actor is not None
        observation = table.observe(table.actor)
        decision, seconds = timed_decision(player, observation, memory, stream)
        spent.append(seconds)
        table.act(table.actor, decision.action)
    return spent


# --- what came of it ----------------------------------------------------------------------------
def ladder(
    summaries: Sequence[Summary], times: Mapping[str, Times], provenance: Provenance
) -> Ladder:
    """Return the ratings at all table sizes as plain data, in the order of the mean ratings.

    Ratings at each size are shifted so that the agents that play at all sizes have a mean of START.
    """
    by_size = {
        one["players"]: {agent["agent"]: agent for agent in one["agents"]} for one in summaries
    }
    everywhere = set.intersection(*(set(agents) for agents in by_size.values()))
    if not everywhere:
        raise PerudoError("no agent plays at all these tables, so they cannot be compared")
    absent = [
        word for agents in by_size.values() for word, agent in agents.items() if not agent["games"]
    ]
    if absent:
        raise PerudoError(f"{absent[0]} has not played yet; increase --games")
    rows: list[LadderRow] = []
    for word in dict.fromkeys(word for agents in by_size.values() for word in agents):
        ratings = {}
        for players, agents in by_size.items():
            shift = START - sum(agents[name]["rating"] for name in everywhere) / len(everywhere)
            if word in agents:
                ratings[str(players)] = _rating(agents[word], shift)
        mean = sum(one["rating"] for one in ratings.values()) / len(ratings)
        rows.append(
            {
                "agent": word,
                "spec": agent_named(word).spec,
                "mean": round(mean, 1),
                "ratings": ratings,
                **times[word],
            }
        )
    rows.sort(key=lambda row: -row["mean"])
    return {
        **provenance,
        "players": list(by_size),
        "games": {str(one["players"]): one["games"] for one in summaries},
        "agents": rows,
    }


def _rating(agent: AgentSummary, shift: float) -> SizeRating:
    assert agent["win_rate"] is not None
    return {
        "rating": round(agent["rating"] + shift, 1),
        "ci95": [round(end + shift, 1) for end in agent["rating_ci95"]],
        "games": agent["games"],
        "win_rate": round(agent["win_rate"], 4),
    }
