"""Review of a finished game: the cost of each decision, judged by what the player could know.

A decision's cost is the player's lost chance to win the match, as estimated by an engine: the
champion, which models several kinds of players and infers who is which, or another agent, which is
then assumed to play all seats. The engine samples the hidden dice, consistently with what the
player saw and weighted by how likely the others would have made their moves of this round with
them. Each candidate is tried on the same deals and played out with the same luck: by the champion
to the end of the round, where it knows the value of the match state, by other agents to the end of
the match. One half of the samples selects the best candidate, the other half compares it with the
move, so that selection does not bias the comparison. The real hidden dice do not enter the cost;
their effect is shown separately, as luck.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent, CompiledPlayer, Decision, Player, Thoughts
from perudo.agents.champion.champion import ChampionPlayer
from perudo.agents.registry import agent_named
from perudo.games.chance import combine, key_of, stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import State, action_code
from perudo.games.log import Event
from perudo.games.options import Json
from perudo.games.perudo import PERUDO, Bid, PerudoState
from perudo.games.perudo.actions import action_from_code
from perudo.games.perudo.odds import chance_bid_holds
from perudo.games.policy import Memory
from perudo.record import MatchRecord
from perudo.search.online.rollout_values import win_samples

MODEL = "champion"
"""The agent that estimates costs by default."""
ADVISER = "champion"
"""The agent whose opinion is asked by default."""
SAMPLES = 2000
LEAST_SAMPLES = 20
SHOWN = 5
"""The number of actions of an agent's mixture that a review shows."""
DEALS, REAL = 1, 2
"""Salts of a decision's random keys."""
Z95 = 1.959964


@dataclass(frozen=True)
class Opinion:
    """An agent's choice for a decision, with its thoughts."""

    agent: str
    action: str
    chance: float | None
    """The probability that the standing bid holds, as the agent estimates it."""
    phase: str | None
    probabilities: dict[str, float] | None
    values: dict[str, float]
    rollouts: int


@dataclass(frozen=True)
class Cost:
    """The cost of a move, as a lost probability of winning the match."""

    model: str
    samples: int
    """The number of deals on which the move and the best candidate were compared."""
    best: str
    """The best other candidate."""
    value: float
    """The probability of winning after the move."""
    cost: float
    """The gain in that probability by the best candidate; negative if it is worse."""
    low: float
    high: float
    flagged: bool
    """True if the whole 95 % confidence interval is above zero."""
    luck: float
    """The change in the probability after the move if the real hidden dice are used."""
    compared: tuple[str, ...]


@dataclass(frozen=True)
class Reviewed:
    """The review of one decision."""

    n: int
    """The number of the event in the record."""
    round: int
    seat: int
    player: str
    action: str
    position: str
    """The player's observation, in one line."""
    hands: tuple[str, ...]
    """The dice of all seats."""
    bid: str | None
    chance: float | None
    """The probability that the action's claim was true, as the player could know it."""
    standing: float | None
    """The probability that the standing bid held, as the player could know it."""
    truth: bool | None
    """True if the action's claim was true; None if it made none."""
    opinions: tuple[Opinion, ...]
    cost: Cost | None

    def data(self) -> dict[str, Json]:
        """Return plain data, for JSON."""
        return asdict(self)


def require_reviewable(record: MatchRecord) -> None:
    """Raise unless the record is of a finished game of Perudo."""
    if record.game is not PERUDO:
        raise PerudoError(f"only games of perudo can be reviewed, not of {record.game.name}")
    if not record.finished:
        raise PerudoError("only finished games can be reviewed; this one stops before its end")


def review(
    record: MatchRecord,
    *,
    seats: Sequence[int] | None = None,
    agents: Sequence[str] = (ADVISER,),
    model: str = MODEL,
    samples: int = SAMPLES,
    seed: int = 1,
) -> Iterator[Reviewed]:
    """Yield the reviews of the decisions of some seats (by default all), in order.

    Costs are left out if ``samples`` is 0.
    """
    require_reviewable(record)
    if samples and samples < LEAST_SAMPLES:
        raise PerudoError(f"{samples} samples are too few; use 0 or at least {LEAST_SAMPLES}")
    wanted = range(len(record.players)) if seats is None else seats
    for seat in wanted:
        if not 0 <= seat < len(record.players):
            raise PerudoError(f"there is no seat {seat}; choose 0 to {len(record.players) - 1}")
    model_agent, before = model_named(model), record.start_state()
    named = [agent_named(name) for name in agents]
    for agent in (model_agent, *named):
        reason = agent.cannot_play(PERUDO, record.setting, len(record.players))
        if reason is not None:
            raise PerudoError(reason)
    with ExitStack() as opened:
        advisers = [opened.enter_context(agent.prepare(before)) for agent in named]
        judge = opened.enter_context(model_agent.prepare(before))
        panels = {seat: _Panel(judge, advisers) for seat in wanted}
        for event, state in record.replay():
            assert isinstance(before, PerudoState)
            if event["event"] == "act" and event["seat"] in wanted and event["action"] != "decline":
                yield _decision(record, event, before, panels[event["seat"]], samples, seed)
            if event["event"] == "result":
                for seat in wanted:
                    panels[seat].learn(state.observe(seat))
            before = state


class _Panel:
    """The judge and advisers of one seat's decisions, with their memories of the opponents."""

    def __init__(self, judge: CompiledPlayer, advisers: Sequence[Player]) -> None:
        self.judge, self._advisers = judge, advisers
        self.known = judge.new_memory()
        """The judge's memory of the opponents."""
        self._memories = [adviser.new_memory() for adviser in advisers]

    def learn(self, settled: State) -> None:
        """Show a settled round to the judge and the advisers."""
        self.judge.learn(settled, self.known)
        for adviser, memory in zip(self._advisers, self._memories, strict=True):
            adviser.learn(settled, memory)

    def opinions(self, seen: PerudoState, key: np.uint64) -> tuple[Opinion, ...]:
        """Return the advisers' opinions of a decision."""
        asked = zip(self._advisers, self._memories, strict=True)
        return tuple(_opinion(adviser, seen, memory, key) for adviser, memory in asked)

    def candidates(
        self, seen: PerudoState, action: str, opinions: Sequence[Opinion], seed: int
    ) -> list[str]:
        """Return the move, all choices of judge and advisers, each word, and the lowest bids."""
        legal = [str(each) for each in seen.legal_actions]
        words = [each for each in legal if "x" not in each]
        lowest: dict[int, Bid] = {}
        for each in seen.legal_actions:
            if isinstance(each, Bid) and (
                each.face not in lowest or each.quantity < lowest[each.face].quantity
            ):
                lowest[each.face] = each
        judged = _opinion(self.judge, seen, self.known, stream_of(seed)[0])
        advised = [judged.action, *(opinion.action for opinion in opinions)]
        named = [action, *advised, *words, *(str(bid) for bid in lowest.values())]
        return list(dict.fromkeys(named))

    def cost(
        self,
        state: PerudoState,
        seat: int,
        candidates: Sequence[str],
        samples: int,
        key: np.uint64,
    ) -> Cost:
        """Compare the move, the first candidate, with the best of the others."""
        codes = [action_code(PERUDO, each) for each in candidates]
        seen, half = state.observe(seat), samples // 2
        wins = self._wins(seen, seat, codes, samples, _part(key, DEALS))
        best = 1 + int(np.argmax(wins[:half, 1:].mean(axis=0)))
        differences = wins[half:, best] - wins[half:, 0]
        cost = float(differences.mean())
        error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
        value = float(wins[:, 0].mean())
        real = self._wins(state, seat, codes[:1], half, _part(key, REAL))
        return Cost(
            model=self.judge.spec,
            samples=int(differences.size),
            best=candidates[best],
            value=round(value, 4),
            cost=round(cost, 4),
            low=round(cost - Z95 * error, 4),
            high=round(cost + Z95 * error, 4),
            flagged=cost - Z95 * error > 0.0,
            luck=round(float(real.mean()) - value, 4),
            compared=tuple(candidates),
        )

    def _wins(
        self, position: State, seat: int, codes: list[int], samples: int, key: np.uint64
    ) -> npt.NDArray[np.float64]:
        """Estimate the seat's probability of winning after each action, by sample.

        If the position is the seat's observation, each sample deals the hidden hands.
        """
        judge = self.judge
        if isinstance(judge, ChampionPlayer):
            return judge.worth_samples(position, seat, codes, self.known, samples, key)
        resample = position.viewer == seat
        return win_samples(
            PERUDO, position.record, seat, codes, judge, samples, key, resample=resample
        )


def model_named(name: str) -> CompiledAgent:
    """Return the compiled agent with this name, to judge moves."""
    found = agent_named(name)
    if not isinstance(found, CompiledAgent) or found.any_game:
        raise PerudoError(f"{name} cannot judge moves; choose a compiled agent, such as {MODEL}")
    return found


def costliest(decisions: Sequence[Reviewed], most: int = 3) -> list[Reviewed]:
    """Return the flagged moves, the costliest first."""
    flagged = [each for each in decisions if each.cost is not None and each.cost.flagged]
    return sorted(flagged, key=lambda each: -each.cost.cost if each.cost else 0.0)[:most]


def _decision(
    record: MatchRecord,
    event: Event,
    state: PerudoState,
    panel: _Panel,
    samples: int,
    seed: int,
) -> Reviewed:
    seat, action = event["seat"], event["action"]
    seen = state.observe(seat)
    key = _part(key_of(seed), event["n"])
    opinions = panel.opinions(seen, key)
    standing = None
    if seen.bid is not None:
        standing = chance_bid_holds(seen.record, seat, seen.bid.code)
    cost = None
    if samples and len(seen.legal_actions) > 1:
        candidates = panel.candidates(seen, action, opinions, seed)
        cost = panel.cost(state, seat, candidates, samples, key)
    return Reviewed(
        n=event["n"],
        round=state.round,
        seat=seat,
        player=record.players[seat],
        action=action,
        position=seen.notation,
        hands=tuple(state.hand(each) or "" for each in range(state.players)),
        bid=None if seen.bid is None else str(seen.bid),
        chance=seen.chance(action, seat),
        standing=standing,
        truth=_truth(state, seat, action),
        opinions=opinions,
        cost=cost,
    )


def _part(key: np.uint64, number: int) -> np.uint64:
    """Derive a random key; the conversion is needed because compiled ``combine`` returns an int."""
    return np.uint64(combine(key, number))


def _opinion(adviser: Player, seen: PerudoState, memory: Memory, key: np.uint64) -> Opinion:
    decided = adviser.decide(seen, memory.copy(), np.array([key], np.uint64))
    thoughts = decided.thoughts if isinstance(decided, Decision) else None
    action = decided.action if isinstance(decided, Decision) else decided
    thoughts = thoughts or Thoughts(None, {})
    return Opinion(
        agent=adviser.spec,
        action=str(action_from_code(action_code(PERUDO, action))),
        chance=thoughts.chance,
        phase=thoughts.phase,
        probabilities=None if thoughts.probabilities is None else _top(thoughts.probabilities),
        values=_top(thoughts.values),
        rollouts=thoughts.rollouts,
    )


def _top(numbers: dict[str, float]) -> dict[str, float]:
    best = sorted(numbers.items(), key=lambda pair: -pair[1])[:SHOWN]
    return {action: round(number, 6) for action, number in best}


def _truth(state: PerudoState, seat: int, action: str) -> bool | None:
    """Return whether an action's claim was true given all dice; None if it made none."""
    said: Any = action_from_code(action_code(PERUDO, action))
    bid = said if isinstance(said, Bid) else state.bid
    if bid is None or action in ("pass", "doubt", "palafico", "decline"):
        return None
    everything = "".join(state.hand(each) or "" for each in range(state.players))
    wild = None if state.wild_face is None else str(state.wild_face)
    there = sum(face in (str(bid.face), wild) for face in everything)
    if action == "dudo":
        return there < bid.quantity
    return there == bid.quantity if action == "calza" else there >= bid.quantity
