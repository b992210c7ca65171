"""How exploitable the champion is between two: exactly in small rounds, from below in full ones.

The bound at five dice each is what a *local answer* wins: at each decision it searches, knowing
the champion's book for two players (what ``champion:adapt=0`` plays wherever it is not silent) and
believing that the other plays by it. With ``adapt`` the champion has a memory, which play fills:

- *known*: the answerer and the champion play one series, and the champion is shown every settled
  round; rounds count once it has seen ``known_rounds`` of them.
- *misled*: somebody else (an agent that the champion can read) has played ``known_rounds`` with the
  champion; then the answerer sits down in that place, and the champion keeps what it believes,
  however long it is wrong. This is more than an opponent can do in a match.

The answerer does not know what the champion remembers, only its book: where the champion leaves
that, the bounds are bounds still, but perhaps not tight.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from perudo.agents import CompiledAgent, agent_named
from perudo.agents.champion.two_players import number_of_dice, open_book, play_two_players
from perudo.games.chance import Stream, combine, key_of, stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import (
    CHANCE,
    OVER,
    ROUND,
    Record,
    actor,
    apply,
    copy,
    deal,
    observe,
    payoff,
    round_over,
)
from perudo.games.kernel import INTERPRETED, kernel
from perudo.games.perudo import PERUDO, Rules
from perudo.games.perudo.layout import read_rules
from perudo.games.policy import Parameters, address_of, new_thoughts, policy_at
from perudo.games.state import State
from perudo.lab.proof.asking import stated_strategy
from perudo.lab.proof.figures import Figure, Task, Work, mean_value
from perudo.lab.proof.matches import CHAMPION, UNREAD
from perudo.lab.responding import Answer, Effort, Payoffs, local_answer
from perudo.search.cfr import Solver
from perudo.search.page import ALL_MOVES
from perudo.search.public_tree import build
from perudo.search.tree_size import tree_size

EXACT_RULES, FULL_RULES = ("common", "dudo_ai", "official"), ("common", "dudo_ai")
EXACT_DICE = ((1, 1), (2, 1), (1, 2))
FULL_DICE = (5, 5)
THOUGHT_ABOUT = 3_000
"""Public positions of a round that is not in the book, so that the champion thinks, at most."""
MISLEADING = ("observer", "boros-bluff")
SEED = 1
DEALS, LUCK, DEALS_BEFORE = 1, 2, 3
"""What is drawn; the first two as in ``responding``."""


def bounds() -> list[Task]:
    """Exactly where rounds are small; at full dice without memory, known and misled."""
    tasks = [
        Task(f"bound/exact/{rules}/{dice[0]}v{dice[1]}", partial(_exact, rules, dice))
        for rules in EXACT_RULES
        for dice in EXACT_DICE
    ]
    for rules in FULL_RULES:
        tasks.append(Task(f"bound/local/{rules}", partial(_local, rules, UNREAD)))
        tasks.append(Task(f"bound/known/{rules}", partial(_local, rules, CHAMPION)))
        for other in MISLEADING:
            tasks.append(Task(f"bound/misled/{rules}/{other}", partial(_misled, rules, other)))
    return tasks


def start_of(rules: str, dice: tuple[int, int]) -> State:
    """A round that the first player opens."""
    return PERUDO.start(Rules.parse(rules), 2, list(dice), opener=0)


def compiled(word: str, start: State) -> CompiledAgent:
    """A compiled agent, ready for rounds from this state."""
    agent = agent_named(word)
    assert isinstance(agent, CompiledAgent)
    agent.prepare(start)
    return agent


@dataclass(frozen=True)
class BookAlone(CompiledAgent):
    """The champion's book for two players and nothing else: what a local answer believes in."""

    name = "champion's book"
    policy = play_two_players

    def prepare(self, start: State) -> None:
        """Open the book at these rules."""
        self.__dict__["_open"] = open_book(read_rules(start.record))

    @property
    def parameters(self) -> Parameters:
        """Where the open book lies."""
        numbers: Parameters = self.__dict__["_open"].parameters
        return numbers


# --- exactly ------------------------------------------------------------------------------------
def _exact(rules: str, dice: tuple[int, int], work: Work) -> Figure:
    start = start_of(rules, dice)
    figure: Figure = {
        "command": f"perudo exploitability {UNREAD} --rules {rules} --dice {dice[0]},{dice[1]} "
        "--method exact"
    }
    memory = open_book(Rules.parse(rules)).memories[number_of_dice(*dice)]
    size = tree_size(start)
    if not memory and sum(size.decisions) > THOUGHT_ABOUT:
        return figure | {"exploitability": None, "why": "not in the book"}
    if not size.complete or sum(size.decisions) > work.sizes.exact_positions:
        return figure | {"exploitability": None, "why": "too many positions"}
    if memory == ALL_MOVES:
        solved = "exactly"
    else:
        solved = f"{memory:.0f} moves remembered" if memory else "not: it thinks"
    solver = Solver(build(start))
    chances = stated_strategy(compiled(UNREAD, start), solver)
    return figure | {
        "exploitability": solver.exploitability(chances),
        "information_sets": solver.tree.information_sets,
        "solved": solved,
    }


# --- from below ---------------------------------------------------------------------------------
@kernel
def play_series(
    states: Record,
    seat: int,
    one: Any,
    one_parameters: Parameters,
    other: Any,
    other_parameters: Parameters,
    learner: Any,
    learns: bool,
    memories: Any,
    key: np.uint64,
    payoffs: Payoffs,
    stream: Stream,
    thoughts: Record,
) -> None:
    """Rounds of one in a seat with another, who is shown how each was settled if it ``learns``."""
    state, view = states[1], states[2]
    for number in range(payoffs.size):
        copy(state, states[0])
        while True:
            who = actor(state)
            if who == OVER or round_over(state):
                break
            if who == CHANCE:
                deal(state, combine(key, number))
                continue
            copy(view, state)
            observe(view, who)
            if who == seat:
                said = policy_at(one, view)(view, one_parameters, memories[who], stream, thoughts)
            else:
                said = policy_at(other, view)(
                    view, other_parameters, memories[who], stream, thoughts
                )
            apply(state, said)
        payoffs[number] = payoff(state, ROUND, seat)
        if learns:
            copy(view, state)
            observe(view, 1 - seat)
            policy_at(learner, view)(view, other_parameters, memories[1 - seat], stream, thoughts)


class Series:
    """One seat's rounds against an agent, whose memory goes on from one run to the next."""

    def __init__(self, agent: CompiledAgent, start: State, seat: int) -> None:
        self._agent, self._start, self._seat = agent, start, seat
        self.memories = np.stack([agent.new_memory() for _ in range(2)])
        self._stream = stream_of(SEED, LUCK, seat)

    def play(self, answer: Answer, rounds: int, what: int, learns: bool) -> Payoffs:
        """What the answer wins in some rounds."""
        start, kind = self._start, type(self._agent)
        states = np.zeros(3, start.game.dtype)
        states[0] = start.record
        payoffs = np.zeros(rounds)
        play_series(
            states,
            self._seat,
            _address(answer.policy),
            answer.parameters,
            _address(kind.policy),
            self._agent.parameters,
            _address(kind.learning or kind.policy),
            learns and kind.learning is not None,
            self.memories,
            key_of(SEED, what),
            payoffs,
            self._stream,
            new_thoughts(),
        )
        return payoffs


def _address(policy: Any) -> Any:
    address = address_of(policy, PERUDO.dtype)
    return address if INTERPRETED else np.uint64(address)


def answer_to_book(start: State, work: Work) -> Answer:
    """The local answer to the champion's book."""
    book = BookAlone()
    book.prepare(start)
    answer = local_answer(book, start, Effort(iterations=work.sizes.iterations))
    return Answer(answer.policy, answer.parameters, book)


def _won(seats: list[Payoffs]) -> Figure:
    found = mean_value(seats)
    return {
        "seed": SEED,
        "rounds": sum(len(one) for one in seats),
        "won": round(found.value, 6),
        "ci95": [round(found.low, 6), round(found.high, 6)],
        "won_by_seat": [round(float(one.mean()), 6) for one in seats],
    }


def _in_both_seats(play: Any, work: Work) -> list[Payoffs]:
    """Seats side by side: kernels let go of Python's lock."""
    with ThreadPoolExecutor(min(2, work.workers)) as pool:
        # The context says that interpreted kernels may wrap around.
        running = [pool.submit(copy_context().run, play, seat) for seat in range(2)]
        return [one.result() for one in running]


def _local(rules: str, word: str, work: Work) -> Figure:
    """What the answer wins; from one that remembers, once that knows it."""
    start = start_of(rules, FULL_DICE)
    rounds = max(2, work.sizes.bound_rounds // 2)

    def play(seat: int) -> Payoffs:
        answer, series = answer_to_book(start, work), Series(compiled(word, start), start, seat)
        if word == UNREAD:
            return series.play(answer, rounds, DEALS, learns=False)
        series.play(answer, work.sizes.known_rounds, DEALS_BEFORE, learns=True)
        return series.play(answer, rounds, DEALS, learns=True)

    figure = _won(_in_both_seats(play, work))
    if word != UNREAD:
        figure["known_rounds"] = work.sizes.known_rounds
    else:
        dice = ",".join(map(str, FULL_DICE))
        figure["command"] = (
            f"perudo exploitability {word} --rules {rules} --dice {dice} --method local "
            f"--rounds {rounds}"
        )
    return figure


def _misled(rules: str, word: str, work: Work) -> Figure:
    """What the answer wins from a champion that takes it for another."""
    start = start_of(rules, FULL_DICE)

    def play(seat: int) -> Payoffs:
        agent, feigned = compiled(CHAMPION, start), compiled(word, start)
        if feigned.memory_width > agent.memory_width:
            raise PerudoError(f"{word} remembers more than there is room for")
        series = Series(agent, start, seat)
        pretence = Answer(type(feigned).policy, feigned.parameters, feigned)
        series.play(pretence, work.sizes.known_rounds, DEALS_BEFORE, learns=True)
        rounds = max(2, work.sizes.misled_rounds // 2)
        return series.play(answer_to_book(start, work), rounds, DEALS, learns=False)

    figure = _won(_in_both_seats(play, work))
    return figure | {"known_rounds": work.sizes.known_rounds}
