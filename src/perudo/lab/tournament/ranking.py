"""The results of a tournament: win rates with intervals, ratings and pairwise results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from perudo import ratings
from perudo.lab.contest import interval
from perudo.lab.tournament.store import Games
from perudo.lab.tournament.summaries import AgentSummary, PairRate, Rate, Summary
from perudo.lab.tournament.tournament import Tournament

SAMPLES = 500
"""The number of bootstrap samples of blocks for the intervals of ratings."""
MOST_GROUPS = 1000
"""Groups to resample; if there are more blocks, neighbouring blocks form one group."""
MOST_RATED = 20_000
"""Games used for ratings updated game by game, which soon forget older ones."""

Real = npt.NDArray[np.float64]


def summary(tournament: Tournament, games: Games) -> Summary:
    """Return every figure as plain data, with agents in the order of their ratings."""
    names = list(tournament.agents)
    wins = wins_by_group(games, len(names))
    fitted = ratings.fit(wins.sum(axis=0))
    low_high = ratings.interval95(ratings.bootstrap(wins, SAMPLES, tournament.seed % 2**32))
    skills = skill_ratings(games, len(names))
    elo = elo_ratings(games, len(names)) if tournament.players == 2 else None
    agents: list[AgentSummary] = []
    for place in np.argsort(-fitted, kind="stable"):
        index = int(place)
        agent: AgentSummary = {
            "agent": names[index],
            **_rate(games, games.lineup == index),
            "rating": round(float(fitted[index]), 1),
            "rating_ci95": [round(float(end), 1) for end in low_high[index]],
            "openskill": {
                "mu": round(skills[index].mu, 3),
                "sigma": round(skills[index].sigma, 3),
                "ordinal": round(skills[index].ordinal, 3),
            },
            "elo": 0.0 if elo is None else round(elo[index], 1),
            "by_seat": [
                _rate(games, _in_seat(games, index, seat)) for seat in range(tournament.players)
            ],
        }
        if elo is None:
            del agent["elo"]
        agents.append(agent)
    order = [agent["agent"] for agent in agents]
    return {
        **tournament.heading(games),
        "agents": agents,
        "pairs": pairs(wins.sum(axis=0), names, order),
    }


def wins_by_group(games: Games, agents: int) -> Real:
    """Return the wins of each agent in games with each other agent: (group, agent, other)."""
    _, numbers = np.unique(games.block, return_inverse=True)
    blocks = int(numbers.max()) + 1
    groups = numbers * min(blocks, MOST_GROUPS) // blocks
    wins = np.zeros((int(groups.max()) + 1, agents, agents))
    shares, players = games.shares, games.lineup.shape[1]
    for seat in range(players):
        for other in range(players):
            if other != seat:
                where = (groups, games.lineup[:, seat], games.lineup[:, other])
                np.add.at(wins, where, shares[:, seat])
    return wins


def elo_ratings(games: Games, agents: int) -> list[float]:
    """Return Elo ratings from two-player games, updated in the order of play."""
    found = [ratings.START] * agents
    shares = games.shares[-MOST_RATED:]
    for (one, other), share in zip(games.lineup[-MOST_RATED:].tolist(), shares, strict=True):
        found[one], found[other] = ratings.elo_after(found[one], found[other], float(share[0]))
    return found


def skill_ratings(games: Games, agents: int) -> list[ratings.Skill]:
    """Return Plackett-Luce ratings, updated in the order of play.

    All losers of a game share its last place.
    """
    skills = [ratings.Skill()] * agents
    scores = games.scores[-MOST_RATED:]
    places = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    for lineup, came_in in zip(games.lineup[-MOST_RATED:].tolist(), places.tolist(), strict=True):
        after = ratings.skills_after([skills[agent] for agent in lineup], came_in)
        for agent, skill in zip(lineup, after, strict=True):
            skills[agent] = skill
    return skills


def pairs(wins: Real, names: Sequence[str], order: Sequence[str]) -> list[PairRate]:
    """Return the first agent's win rate for each pair, in games with both that one of them won."""
    found: list[PairRate] = []
    for place, first in enumerate(order):
        for second in order[place + 1 :]:
            one, other = names.index(first), names.index(second)
            won, lost = float(wins[one, other]), float(wins[other, one])
            figures = rate_figures(won, round(won + lost))
            found.append({"agents": [first, second], **figures})
    return found


def _in_seat(games: Games, agent: int, seat: int) -> npt.NDArray[np.bool_]:
    """Return a mask of an agent's places, by game and seat, in one seat only."""
    there = np.zeros(games.lineup.shape, np.bool_)
    there[:, seat] = games.lineup[:, seat] == agent
    return there


def _rate(games: Games, there: npt.NDArray[np.bool_]) -> Rate:
    """Return the games and wins at the places of a mask, by game and seat."""
    return rate_figures(float(games.shares[there].sum()), int(there.sum()))


def rate_figures(wins: float, games: int) -> Rate:
    """Return the games won, their rate and its interval."""
    return {
        "games": games,
        "wins": round(wins, 6),
        "win_rate": round(wins / games, 6) if games else None,
        "ci95": interval(wins, games),
    }
