"""Perudo as a PettingZoo environment: seats act one after the other (AEC).

Learners use ``env(...)``, which refuses calls in the wrong order. Observations and actions are the
same as in ``BatchedPerudo``, and so are the games: after ``reset(seed=s)`` the games are the ones
of lane 0 with that seed.
"""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

import numpy as np

from perudo.games.chance import combine, key_of
from perudo.games.errors import PerudoError
from perudo.games.game import OVER, require_legal
from perudo.games.options import Json
from perudo.games.perudo import PERUDO, PerudoState, Rules
from perudo.lab.adapters.batched import horizon_named
from perudo.lab.adapters.observation import LARGEST, ActionNumbers, Layout, Rows, new_rows, rules_of
from perudo.lab.adapters.single import REFUSED, deal_if_awaited, play_and_deal, show

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ImportError as missing:
    raise ImportError("PettingZoo is not installed: pip install 'perudo[peers]'") from missing


class PerudoEnv(AECEnv[str, dict[str, Rows], int]):  # type: ignore[misc]  # it ships no types
    """A table. Agents are ``player_0`` and so on; all stay until the match is over.

    A seat that is out of dice no longer acts. ``numbers`` gives the number of each action.
    """

    metadata: ClassVar[dict[str, Json]] = {
        "name": "perudo_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Rules | str = "official",
        players: int = 2,
        payoffs: str = "match",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise PerudoError(f"render_mode {render_mode!r} should be 'ansi' or None")
        self.rules, self.render_mode = rules_of(rules), render_mode
        self._start = PERUDO.start(self.rules, players).record
        self.numbers = ActionNumbers(self.rules, players)
        self.layout = Layout(players)
        self._horizon = horizon_named(payoffs)
        self._states = np.zeros(1, PERUDO.dtype)
        self._payoffs = np.zeros(players, np.float32)
        self._series: np.uint64 | None = None
        self._game = 0
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        shapes = {"observation": self.layout.width, "action_mask": len(self.numbers)}
        highest = {"observation": LARGEST, "action_mask": 1}
        self.observation_spaces = {
            agent: spaces.Dict(
                {name: spaces.Box(0, highest[name], (shapes[name],), np.int8) for name in shapes}
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(len(self.numbers)) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """Return the observation space, which is the same for all agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space, which is the same for all agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Json] | None = None) -> None:
        """Begin the first match of a seed, or without a seed the next of the current series."""
        if seed is not None or self._series is None:
            self._series = key_of(secrets.randbits(64) if seed is None else seed, 0)
            self._game = 0
        else:
            self._game += 1
        self._key = np.uint64(combine(self._series, self._game))
        self._states[0] = self._start
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Json]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[deal_if_awaited(self._states, self._key)]
        self._skip_agent_selection: str | None = None

    def observe(self, agent: str) -> dict[str, Rows]:
        """Return an agent's observation; its mask is all 0 unless it is the agent's turn."""
        observation, mask = new_rows(self.layout.width), new_rows(len(self.numbers))
        show(self._states, self._seats[agent], self.numbers.by_code, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play an action of the agent whose turn it is; pass None once its match is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        code = self.numbers.code(action)
        seat = play_and_deal(self._states, code, self._key, self._horizon, self._payoffs)
        if seat == REFUSED:
            require_legal(self._states[0], code)
        self._cumulative_rewards[agent] = 0.0
        for name, reward in zip(self.possible_agents, self._payoffs.tolist(), strict=True):
            self.rewards[name] = reward
            self._cumulative_rewards[name] += reward
        if seat == OVER:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[seat]

    def render(self) -> str | None:
        """Return the table as the seat to act sees it, on a few lines."""
        if self.render_mode is None:
            return None
        state = PerudoState(self._states[0])
        return str(state if state.actor is None else state.observe(state.actor))

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


def env(
    rules: Rules | str = "official",
    players: int = 2,
    payoffs: str = "match",
    render_mode: str | None = None,
) -> OrderEnforcingWrapper[str, dict[str, Rows], int]:
    """Return an environment that refuses calls in the wrong order."""
    return OrderEnforcingWrapper(PerudoEnv(rules, players, payoffs, render_mode))
