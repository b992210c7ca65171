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
from functools import partial
from typing import Any

from perudo.agents.agent import CompiledAgent, CompiledPlayer
from perudo.agents.champion.two_player_book import number_of_dice, open_book
from perudo.agents.registry import agent_named
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.games.state import State
from perudo.lab.proof.asking import stated_strategy
from perudo.lab.proof.figures import Figure, Task, Work, mean_value
from perudo.lab.proof.matches import CHAMPION, UNREAD
from perudo.lab.solve.lower_bound import Answer, Effort, Payoffs, Series, local_answer
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES
from perudo.search.trees.public_tree import build
from perudo.search.trees.tree_size import tree_size

EXACT_RULES, FULL_RULES = ("common", "dudo_ai", "official"), ("common", "dudo_ai")
EXACT_DICE = ((1, 1), (2, 1), (1, 2))
FULL_DICE = (5, 5)
THOUGHT_ABOUT = 3_000
"""Public positions of a round that is not in the book, so that the champion thinks, at most."""
MISLEADING = ("observer", "boros-bluff")
SEED = 1
DEALS_BEFORE = 3
"""What is drawn before the rounds that count."""
BOOK_ALONE = "champion:book"


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


def compiled(word: str, start: State) -> CompiledPlayer:
    """A compiled agent, ready for rounds from this state."""
    agent = agent_named(word)
    assert isinstance(agent, CompiledAgent)
    return agent.prepare(start)


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
def answer_to_book(start: State, work: Work) -> Answer:
    """The local answer to the champion's book."""
    effort = Effort(iterations=work.sizes.iterations)
    return local_answer(compiled(BOOK_ALONE, start), start, effort)


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
        answer = answer_to_book(start, work)
        series = Series(compiled(word, start), start, seat, SEED)
        if word == UNREAD:
            return series.play(answer, rounds)
        series.play(answer, work.sizes.known_rounds, DEALS_BEFORE, learns=True)
        return series.play(answer, rounds, learns=True)

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
        series = Series(agent, start, seat, SEED)
        pretence = Answer(feigned.policy, feigned.parameters, feigned)
        series.play(pretence, work.sizes.known_rounds, DEALS_BEFORE, learns=True)
        rounds = max(2, work.sizes.misled_rounds // 2)
        return series.play(answer_to_book(start, work), rounds)

    figure = _won(_in_both_seats(play, work))
    return figure | {"known_rounds": work.sizes.known_rounds}
