"""OpenSpiel's information set Monte Carlo tree search against an agent of perudo.

    python examples/openspiel_bot.py --agent observer --matches 20 --simulations 50

The two change seats after every match. Any other OpenSpiel bot can replace the search: the game is
``python_perudo`` (docs/learners.md). This needs ``pip install 'perudo[peers]'``.
"""

from __future__ import annotations

import argparse
import random
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from perudo.agents import agent_named
from perudo.lab.adapters.openspiel_game import AgentBot
from perudo.lab.contest import interval

EXPLORATION = 1.4


def searching_bot(game: Any, simulations: int, seed: int) -> Any:
    """Return OpenSpiel's search; the states it samples agree with what its player knows."""
    rng = np.random.RandomState(seed)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = ISMCTSBot(game, evaluator, EXPLORATION, simulations, random_state=rng)
    deals = random.Random(seed)
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, deals.random))
    return bot


def play(rules: str, dice: int, agent: str, matches: int, simulations: int, seed: int) -> int:
    """Play matches, and return the number that OpenSpiel's bot wins."""
    game = pyspiel.load_game(f"python_perudo(rules={rules},dice={dice})")
    wins = 0
    for match in range(matches):
        theirs, ours = match % 2, 1 - match % 2
        bots: list[Any] = [None, None]
        bots[theirs] = searching_bot(game, simulations, seed + match)
        bots[ours] = AgentBot(agent_named(agent), ours, seed + match)
        results = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed + match)
        wins += results[theirs] > 0
    return wins


def main() -> None:
    """Play a series, and print the result."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--rules", default="common", help="a preset for two players")
    options.add_argument("--dice", type=int, default=2, help="dice for each player")
    options.add_argument("--agent", default="observer", help="perudo's agent; see 'perudo agents'")
    options.add_argument("--matches", type=int, default=20)
    options.add_argument(
        "--simulations", type=int, default=50, help="simulations for each decision of the search"
    )
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    wins = play(**vars(chosen))
    low, high = interval(wins, chosen.matches) or [0.0, 1.0]
    print(
        f"OpenSpiel's search won {wins} of {chosen.matches} matches against {chosen.agent} "
        f"(95 % interval: {low:.2f} to {high:.2f})"
    )


if __name__ == "__main__":
    main()
