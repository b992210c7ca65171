"""Tables of some agents, mixed at random, whose every move the rules must accept."""

from __future__ import annotations

from collections.abc import Sequence

from perudo.agents import Agent
from perudo.games.chance import below, key_of, stream_of
from perudo.games.perudo import PERUDO, Rules
from perudo.games.perudo.rules import PRESETS

RULE_SETS = (*PRESETS, "official:dice=8,max_players=10,palafico=declared")


def play_at_mixed_tables(agents: Sequence[Agent], rules: str, least: int = 200) -> None:
    """Play matches with at least this many decisions; ``apply`` refuses illegal actions."""
    setting, decisions, stream = Rules.parse(rules), 0, stream_of(1)
    while decisions < least:
        players = 2 + below(stream, setting.max_players - 1)
        seats = [agents[below(stream, len(agents))] for _ in range(players)]
        state = PERUDO.start(setting, players)
        while not state.over:
            if state.awaits_deal:
                state = state.deal(int(key_of(decisions)))
                continue
            seat = state.actor
            assert seat is not None
            agent = seats[seat]
            decision = agent.decide(state.observe(seat), agent.new_memory(), stream)
            state = state.apply(decision.action)
            decisions += 1
