"""What came of a tournament: rates with intervals, ratings, and how each fares against each."""

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
"""How many times blocks are drawn for the intervals of ratings."""
MOST_GROUPS = 1000
"""Where there are more blocks, as many neighbours are drawn together as make this many groups."""
MOST_RATED = 20_000
"""Ratings that go from game to game soon forget: these last games are all that matters to them."""

Real = npt.NDArray[np.float64]


def summary(tournament: Tournament, games: Games) -> Summary:
    """Every figure as plain data; agents in the order of their ratings."""
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
            **_rate(games, games.sitting == index),
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


def wins_by_group(games: Games, entrants: int) -> Real:
    """By group of neighbouring blocks: what each won (first) with each other (second) there."""
    _, numbers = np.unique(games.block, return_inverse=True)
    blocks = int(numbers.max()) + 1
    groups = numbers * min(blocks, MOST_GROUPS) // blocks
    wins = np.zeros((int(groups.max()) + 1, entrants, entrants))
    shares, players = games.shares, games.sitting.shape[1]
    for seat in range(players):
        for other in range(players):
            if other != seat:
                where = (groups, games.sitting[:, seat], games.sitting[:, other])
                np.add.at(wins, where, shares[:, seat])
    return wins


def elo_ratings(games: Games, entrants: int) -> list[float]:
    """Elo ratings of games of two, in the order of play."""
    found = [ratings.START] * entrants
    shares = games.shares[-MOST_RATED:]
    for (one, other), share in zip(games.sitting[-MOST_RATED:].tolist(), shares, strict=True):
        found[one], found[other] = ratings.elo_after(found[one], found[other], float(share[0]))
    return found


def skill_ratings(games: Games, entrants: int) -> list[ratings.Skill]:
    """Plackett-Luce ratings, in the order of play. Who did not win a game shares its last place."""
    skills = [ratings.Skill()] * entrants
    scores = games.scores[-MOST_RATED:]
    places = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    for sitting, came_in in zip(games.sitting[-MOST_RATED:].tolist(), places.tolist(), strict=True):
        after = ratings.skills_after([skills[entrant] for entrant in sitting], came_in)
        for entrant, skill in zip(sitting, after, strict=True):
            skills[entrant] = skill
    return skills


def pairs(wins: Real, names: Sequence[str], order: Sequence[str]) -> list[PairRate]:
    """For each two: how often the first won, of the games with both that one of them won."""
    found: list[PairRate] = []
    for place, first in enumerate(order):
        for second in order[place + 1 :]:
            one, other = names.index(first), names.index(second)
            won, lost = float(wins[one, other]), float(wins[other, one])
            figures = rate_figures(won, round(won + lost))
            found.append({"agents": [first, second], **figures})
    return found


def _in_seat(games: Games, entrant: int, seat: int) -> npt.NDArray[np.bool_]:
    """Where an entrant sits in this seat."""
    there = np.zeros(games.sitting.shape, np.bool_)
    there[:, seat] = games.sitting[:, seat] == entrant
    return there


def _rate(games: Games, there: npt.NDArray[np.bool_]) -> Rate:
    """Games and wins of who sits ``there``, by game and seat."""
    return rate_figures(float(games.shares[there].sum()), int(there.sum()))


def rate_figures(wins: float, games: int) -> Rate:
    """How many games were won, with the interval of the rate."""
    return {
        "games": games,
        "wins": round(wins, 6),
        "win_rate": round(wins / games, 6) if games else None,
        "ci95": interval(wins, games),
    }
