"""Single rounds against a threshold caller, tuned against the champion at every pair of dice.

The caller is the simplest sensible player; the champion should beat it however it is tuned. It is
not on the ladder; ``perudo match champion
src/perudo/lab/champion/rounds.py:ThresholdCaller:call=0.3`` plays against it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import number
from perudo.agents.table_facts import NO_BID, asked_out_of_turn, call, chance_of, lowest_bid
from perudo.games.chance import Stream
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import bid_code, face_of, quantity_of
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, surely
from perudo.lab.champion.duplicate import CHAMPION, SEED, Size, duplicate
from perudo.lab.champion.figures import FigureFile, GamesWon, Task
from perudo.lab.champion.goals import Goal, at_least, goal, percent, table
from perudo.lab.champion.two import share_of
from perudo.lab.experiments.experiment import Conditions

CALL, OPENING = range(2)
"""The indices of the caller's parameters."""
ROUNDS, PAIR = 0.53, 0.50
CALLS = (0.1, 0.2, 0.3, 0.4, 0.5)
OPENINGS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1)
TUNING_SEED = 11
"""A seed other than the one of the figures, so that the best caller is not just the luckiest."""
TUNING_SIZE = (40, 4_000)
MOST_DICE = 5
PAIRS = [(more, less) for more in range(1, MOST_DICE + 1) for less in range(1, more + 1)]
FULL = "rounds/5v5"
FILE = "src/perudo/lab/champion/rounds.py"
"""The file of the caller, as the command line names it."""


# --- the caller ---------------------------------------------------------------------------------
@kernel
def likely_opening(observation: Record, lowest: int, chance: float) -> int:
    """Return the highest bid on a face that is at least this likely, or the lowest legal one."""
    bid = lowest
    while True:
        higher = bid_code(quantity_of(bid) + 1, face_of(bid))
        if chance_of(observation, higher) < chance:
            return bid
        bid = higher


@kernel
def decide_by_threshold(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Call a bid that is too unlikely, otherwise make the likeliest lowest raise by face."""
    begin(thoughts)
    if asked_out_of_turn(observation):
        return surely(thoughts, call(observation))
    standing = int(observation.bid)
    if standing != NO_BID and chance_of(observation, standing) < parameters[CALL]:
        return surely(thoughts, call(observation))
    best, most = NO_BID, -1.0
    for face in range(1, FACES + 1):
        bid = lowest_bid(observation, face)
        if bid == NO_BID:
            continue
        score = chance_of(observation, bid)
        if standing == NO_BID:
            bid = likely_opening(observation, bid, parameters[OPENING])
            score = quantity_of(bid) + 0.1 * chance_of(observation, bid)
        if score > most:
            best, most = bid, score
    return surely(thoughts, best if best != NO_BID else call(observation))


@dataclass(frozen=True)
class ThresholdCaller(CompiledAgent):
    """A player that calls bids less likely than ``call``, given its own dice, and raises others."""

    name = "threshold"
    idea = "calls what is too unlikely, else the likeliest raise; opens as high as is likely enough"
    source = "this project, to measure the champion"
    policy = decide_by_threshold

    call: float = number(0.3, 0.0, 1.0)
    """The probability below which bids are called."""
    opening: float = number(0.7, 0.01, 2.0)
    """The opening is the highest bid at least this likely; above 1, the lowest legal bid."""


# --- the experiment -----------------------------------------------------------------------------
def tasks() -> list[Task]:
    """Return tasks for five dice each, at length, and for every pair of dice."""
    full = Task(FULL, partial(_against_tuned, (MOST_DICE, MOST_DICE), (400, 100_000)))
    return [full] + [
        Task(pair_name(*dice), partial(_against_tuned, dice, (40, 40_000))) for dice in PAIRS
    ]


def pair_name(more: int, less: int) -> str:
    """Return the name of a pair's figure."""
    return f"rounds/pair/{more}v{less}"


def _against_tuned(dice: tuple[int, int], size: Size, conditions: Conditions) -> GamesWon:
    """Find the caller that loses least, then measure it with other dice."""

    def play(caller: ThresholdCaller, size: Size, seed: int) -> GamesWon:
        games = conditions.number(*size)
        return duplicate(conditions, [CHAMPION, caller], "common", games, "rounds", dice, seed)

    tried = {}
    for call_below, opening in itertools.product(CALLS, OPENINGS):
        caller = ThresholdCaller(call_below, opening)
        tried[caller] = play(caller, TUNING_SIZE, TUNING_SEED).share
    best = min(tried, key=lambda caller: tried[caller])
    figure = play(best, size, SEED)
    named = f"{FILE}:{type(best).__name__}{best.spec.removeprefix(best.name)}"
    return figure.model_copy(
        update={
            "command": figure.command.replace(best.spec, named),
            "call": best.call,
            "opening": best.opening,
            "callers_tried": len(tried),
        }
    )


def goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for rounds at five dice each and at every pair of dice."""
    return [
        goal(
            "5 v 5: at least 53 % of rounds against the best-tuned threshold caller",
            percent,
            at_least(ROUNDS),
            [("5 v 5", share_of(figures, FULL))],
        ),
        goal(
            "every pair of dice: at least 50 % of rounds against it",
            percent,
            at_least(PAIR),
            ((f"{a} v {b}", share_of(figures, pair_name(a, b))) for a, b in PAIRS),
        ),
    ]


def tables(figures: FigureFile) -> str:
    """Return the table of rounds against the caller."""
    labels = {FULL: "5 v 5"} | {pair_name(*two): "{} v {}".format(*two) for two in PAIRS}
    rows = []
    for name, label in labels.items():
        one = figures.find(GamesWon, name)
        if one is not None:
            tuned = f"{one.call:g}, {one.opening:g}"
            rows.append((label, f"{one.games:,}", tuned, percent(one.measure)))
    if not rows:
        return ""
    heads = ("single rounds, `common`, both sides of the dice", "rounds", "caller", "won")
    return table(heads, rows) + (
        "\n\nThe caller says dudo to bids less likely than the first number, given its own dice, "
        "and otherwise makes the likeliest raise; it opens with the highest bid at least as likely "
        f"as the second number. Of {len(CALLS) * len(OPENINGS)} such callers it is the one that "
        "lost least in other rounds."
    )
