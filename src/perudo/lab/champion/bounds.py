"""The champion's exploitability with two players: exact in small rounds, bounded in full ones.

The bound at five dice each is the winnings of a *local response*: at each decision it searches,
with the champion's two-player book (the policy of ``champion:adapt=0`` in every position that the
book covers) as its model of the opponent. With ``adapt`` the champion has a memory, which play
fills:

- *known*: the responder and the champion play one series, and the champion sees the result of every
  round; rounds count after the first ``known_rounds``.
- *misled*: another agent (one that the champion can read) plays ``known_rounds`` with the champion;
  then the responder takes its seat, and the champion keeps its beliefs, however long they are
  wrong. No opponent can do that in a match.

The responder knows only the book, not the champion's memory: if the champion departs from the book,
the bounds still hold but may not be tight.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial

from perudo.agents.agent import CompiledAgent, CompiledPlayer
from perudo.agents.champion.two_player_book import number_of_dice, open_book
from perudo.agents.registry import agent_named
from perudo.games.errors import PerudoError
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.champion.duplicate import CHAMPION, NOT_ADAPTING
from perudo.lab.champion.figures import Bound, Exploitability, FigureFile, Task
from perudo.lab.champion.goals import ABSENT, Goal, at_most, dice, goal, less, shown, table
from perudo.lab.champion.stated_strategy import stated_strategy
from perudo.lab.experiments.experiment import Conditions
from perudo.lab.experiments.measures import Measure, exactly, mean_of_samples
from perudo.lab.play import cores
from perudo.lab.solve.lower_bound import Effort, Payoffs, Response, Series, local_response
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES
from perudo.search.trees.public_tree import build
from perudo.search.trees.tree_size import tree_size

EXPLOITABILITY, LOCAL_BOUND, RISE = 1e-3, 0.05, 0.02
EXACT_RULES, FULL_RULES = ("common", "dudo_ai", "official"), ("common", "dudo_ai")
EXACT_DICE = ((1, 1), (2, 1), (1, 2))
FULL_DICE = (5, 5)
SEARCHED_POSITIONS = 3_000
"""The most public positions of a round that is not in the book, so that the champion searches."""
MISLEADING = ("observer", "boros-bluff")
SEED = 1
DEALS_BEFORE = 3
"""The random stream of the rounds before the ones that count."""
BOOK_ALONE = "champion:book"
ITERATIONS = (50, 2_000)
"""Simulations of each decision of the local response, in a quick run and in a full one."""
KNOWN_ROUNDS = (10, 200)
"""Rounds with the responder that the champion sees before results count."""
EXACT_POSITIONS = (1_100, 300_000)
"""The most public positions of a round for an exact computation of exploitability."""
ROUNDS, MISLED_ROUNDS = (40, 20_000), (20, 4_000)
"""Rounds played, in both seats together."""


def tasks() -> list[Task]:
    """Return the tasks: exact in small rounds; at full dice without memory, known and misled."""
    found = [
        Task(f"bound/exact/{rules}/{dice[0]}v{dice[1]}", partial(_exact, rules, dice))
        for rules in EXACT_RULES
        for dice in EXACT_DICE
    ]
    for rules in FULL_RULES:
        found.append(Task(f"bound/local/{rules}", partial(_local, rules, NOT_ADAPTING)))
        found.append(Task(f"bound/known/{rules}", partial(_local, rules, CHAMPION)))
        for other in MISLEADING:
            found.append(Task(f"bound/misled/{rules}/{other}", partial(_misled, rules, other)))
    return found


def start_of(rules: str, dice: tuple[int, int]) -> State:
    """Return the start of a round that the first player opens."""
    return PERUDO.start(Rules.parse(rules), 2, list(dice), opener=0)


def compiled(word: str, start: State) -> CompiledPlayer:
    """Return a compiled agent, prepared for rounds from this state."""
    agent = agent_named(word)
    assert isinstance(agent, CompiledAgent)
    return agent.prepare(start)


# --- exactly ------------------------------------------------------------------------------------
def _exact(rules: str, counts: tuple[int, int], conditions: Conditions) -> Exploitability:
    start = start_of(rules, counts)
    command = (
        f"perudo exploitability {NOT_ADAPTING} --rules {rules} --dice {counts[0]},{counts[1]} "
        "--method exact"
    )
    memory = open_book(Rules.parse(rules)).memories[number_of_dice(*counts)]
    size = tree_size(start)
    why = ""
    if not memory and sum(size.decisions) > SEARCHED_POSITIONS:
        why = "not in the book"
    elif not size.complete or sum(size.decisions) > conditions.pick(*EXACT_POSITIONS):
        why = "too many positions"
    if why:
        return Exploitability(command=command, exploitability=None, why=why)
    if memory == ALL_MOVES:
        solved = "exactly"
    else:
        solved = f"{memory:.0f} moves remembered" if memory else "not: it thinks"
    solver = Solver(build(start))
    chances = stated_strategy(compiled(NOT_ADAPTING, start), solver)
    return Exploitability(
        command=command,
        exploitability=solver.exploitability(chances),
        information_sets=solver.tree.information_sets,
        solved=solved,
    )


# --- from below ---------------------------------------------------------------------------------
def response_to_book(start: State, conditions: Conditions) -> Response:
    """Return the local response to the champion's book."""
    effort = Effort(iterations=conditions.pick(*ITERATIONS))
    return local_response(compiled(BOOK_ALONE, start), start, effort)


def _in_both_seats(play: Callable[[int], Payoffs], conditions: Conditions) -> Bound:
    """Measure a response in both seats, in two threads: kernels release the GIL."""
    with ThreadPoolExecutor(min(2, conditions.workers or cores())) as pool:
        # The context lets integers of interpreted kernels overflow.
        running = [pool.submit(copy_context().run, play, seat) for seat in range(2)]
        seats = [one.result() for one in running]
    found = mean_of_samples(seats)
    return Bound(
        seed=SEED,
        rounds=sum(len(one) for one in seats),
        won=round(found.value, 6),
        ci95=(round(found.low, 6), round(found.high, 6)),
        won_by_seat=tuple(round(float(one.mean()), 6) for one in seats),
    )


def _local(rules: str, word: str, conditions: Conditions) -> Bound:
    """Measure the winnings of the local response, after an agent that remembers has met it."""
    start = start_of(rules, FULL_DICE)
    rounds = max(2, conditions.number(*ROUNDS) // 2)
    known = conditions.pick(*KNOWN_ROUNDS)

    def play(seat: int) -> Payoffs:
        response = response_to_book(start, conditions)
        series = Series(compiled(word, start), start, seat, SEED)
        if word == NOT_ADAPTING:
            return series.play(response, rounds)
        series.play(response, known, DEALS_BEFORE, learns=True)
        return series.play(response, rounds, learns=True)

    figure = _in_both_seats(play, conditions)
    if word != NOT_ADAPTING:
        return figure.model_copy(update={"known_rounds": known})
    command = (
        f"perudo exploitability {word} --rules {rules} --dice {FULL_DICE[0]},{FULL_DICE[1]} "
        f"--method local --rounds {rounds}"
    )
    return figure.model_copy(update={"command": command})


def _misled(rules: str, word: str, conditions: Conditions) -> Bound:
    """Measure the winnings from a champion that takes the responder for another agent."""
    start = start_of(rules, FULL_DICE)
    known = conditions.pick(*KNOWN_ROUNDS)

    def play(seat: int) -> Payoffs:
        champion, feigned = compiled(CHAMPION, start), compiled(word, start)
        if feigned.memory_width > champion.memory_width:
            raise PerudoError(f"{word} needs a larger memory than the champion's")
        series = Series(champion, start, seat, SEED)
        pretence = Response(feigned.policy, feigned.parameters, feigned)
        series.play(pretence, known, DEALS_BEFORE, learns=True)
        rounds = max(2, conditions.number(*MISLED_ROUNDS) // 2)
        return series.play(response_to_book(start, conditions), rounds)

    return _in_both_seats(play, conditions).model_copy(update={"known_rounds": known})


# --- goals --------------------------------------------------------------------------------------
def _bound(figures: FigureFile, name: str) -> Measure | None:
    found = figures.find(Bound, f"bound/{name}")
    return None if found is None else found.measure


def rise_of(figures: FigureFile, rules: str) -> Measure | None:
    """Return the amount that memory adds to the local bound."""
    return less(_bound(figures, f"known/{rules}"), _bound(figures, f"local/{rules}"))


def goals(figures: FigureFile) -> list[Goal]:
    """Return the goals for exploitability in small rounds and for bounds in full ones."""
    exact = [
        (name.removeprefix("bound/exact/").replace("/", " "), exactly(found.exploitability))
        for name in figures.names("bound/exact/")
        if (found := figures.find(Exploitability, name)) is not None
        and found.solved == "exactly"
        and found.exploitability is not None
    ]
    return [
        goal(
            "two players: exploitability at most 0.001 of a die where rounds are solved exactly",
            lambda value: f"{value.value:.2g}",
            at_most(EXPLOITABILITY),
            exact,
        ),
        goal(
            "5 v 5, `common` and `dudo_ai`: a local response wins at most 0.05 of a die",
            dice,
            at_most(LOCAL_BOUND),
            ((rules, _bound(figures, f"local/{rules}")) for rules in FULL_RULES),
        ),
        goal(
            "reading opponents lets a local response win at most 0.02 of a die more",
            dice,
            at_most(RISE),
            ((rules, rise_of(figures, rules)) for rules in FULL_RULES),
        ),
    ]


# --- tables -------------------------------------------------------------------------------------
def tables(figures: FigureFile) -> str:
    """Return the tables of the champion's exploitability."""
    return "\n\n".join(part for part in (_exact_table(figures), _full_table(figures)) if part)


def _exact_table(figures: FigureFile) -> str:
    if not figures.names("bound/exact/"):
        return ""
    rows = []
    for rules in EXACT_RULES:
        cells = []
        for pair in EXACT_DICE:
            figure = figures.find(Exploitability, "bound/exact/{}/{}v{}".format(rules, *pair))
            if figure is None or figure.exploitability is None:
                cells.append(ABSENT if figure is None else figure.why)
            else:
                cells.append(f"{figure.exploitability:.2g} ({figure.solved})")
        rows.append((f"`{rules}`", *cells))
    heads = "exact exploitability of `champion:adapt=0` (how it was solved)"
    return table([heads, "1 v 1", "2 v 1", "1 v 2"], rows)


def _full_table(figures: FigureFile) -> str:
    rows, known_rounds = [], 0
    for rules in FULL_RULES:
        ways = {
            f"local/{rules}": "`champion:adapt=0`",
            f"known/{rules}": "`champion`, which knows the responder",
        }
        ways |= {f"misled/{rules}/{word}": f"`champion`, misled by `{word}`" for word in MISLEADING}
        for way, label in ways.items():
            one = figures.find(Bound, f"bound/{way}")
            if one is not None:
                more = shown(rise_of(figures, rules) if "known" in way else None, dice)
                rows.append((f"{label}, `{rules}`", f"{one.rounds:,}", dice(one.measure), more))
                known_rounds = max(known_rounds, one.known_rounds)
    if not rows:
        return ""
    heads = ["dice won by a local response at 5 v 5", "rounds", "won", "more than without memory"]
    return table(heads, rows) + (
        "\n\nThe local response searches at each decision and knows the champion's book. "
        f"*Knows*: the champion saw {known_rounds} rounds of the responder before, and sees all "
        "that follow. *Misled*: it saw as many rounds of another agent in the responder's seat, "
        "and keeps its beliefs; this has no goal, because no player stays wrong so long."
    )
