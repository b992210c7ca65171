"""Train the champion for two players: solve every round of a few rule sets into one sparse book.

Small rounds are solved exactly, larger ones for players with a short memory. A working directory
keeps each solved round, so that training can resume where it stopped.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from perudo.agents.champion.two_player_book import plain_round
from perudo.games.game import State
from perudo.games.perudo import PERUDO, Rules
from perudo.search.cfr.fsicfr import MemorySolver, value_of
from perudo.search.cfr.opponent_sampling import HandsSolver, restricted_response
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.files.page import ALL_MOVES, Page
from perudo.search.files.sealed import About, Header
from perudo.search.files.sparse import Pruning, SparsePage, dense, load, save, sparse_page
from perudo.search.trees import memory_graph, public_tree
from perudo.search.trees.memory_graph import MemoryGraph
from perudo.search.trees.outcomes import Players


@dataclass(frozen=True)
class Effort:
    """The effort for rounds that are too large to solve exactly."""

    deals: int
    """The number of sampled opponent hands that each player learns against."""
    nodes: int = 5_000
    """The most positions to which a longer memory may lead."""
    clones: int = 0
    """The number of opponents trained like the agent ``cfr``; the first is that agent itself."""
    share: float = 0.0
    """The share of passes that are played against these opponents."""


PRESETS = {
    "common": Effort(16_000, nodes=10_000, clones=2, share=0.75),
    "dudo_ai": Effort(8_000),
    "official": Effort(4_000, clones=2, share=0.75),
}
"""The presets to learn; for two players they cover most of the other presets too."""
CLONE_DEALS = 100_000
"""The deals that ``cfr`` learns from; its memory is the longest with up to 10,000 nodes."""
MIN_CHANCE = 0.01
"""Clones never make moves less likely than this, which saves the time of their subtrees."""
EXACT_POSITIONS = 300_000
"""The most public positions of a round that is solved exactly."""
EXACT_TARGET = 1e-4
"""The exploitability at which an exact solution stops."""
SHORTEST_MEMORY, LONGEST_MEMORY = 2, 6
MOST_WORK, FEWEST_DEALS = 300_000_000_000, 1_000
"""Limits of the deals in large rounds: the most edges times hands times deals, fewest deals."""

EXACTLY = Pruning(least_chance=2e-3, least_reach=1e-4)
KEPT = Pruning(least_chance=1e-2, least_reach=1e-3)
"""The precision of a page in the working directory."""
SHIPPED = Pruning(least_chance=3e-2, least_reach=1e-3, levels=7)
"""The precision of a page in the book, for more than ``SMALL`` dice."""
SHIPPED_SMALL = Pruning(least_chance=1e-2, least_reach=1e-3, levels=31)
"""The precision of a page in the book, for up to ``SMALL`` dice."""
SMALL = 6
"""The most dice of a round that counts as small."""


@dataclass(frozen=True)
class Progress:
    """A round that has been solved."""

    dice: tuple[int, int]
    done: int
    wanted: int
    seconds: float


Report = Callable[[Progress], None]
Round = tuple[Rules, tuple[int, int]]


def rounds_of(presets: Mapping[str, Effort]) -> dict[Round, Effort]:
    """Return the effort for each distinct two-player round of the presets, the smallest first.

    Rounds that presets share get the effort of the first of these presets.
    """
    found: dict[Round, Effort] = {}
    for preset, effort in presets.items():
        rules = Rules.parse(preset)
        for first in range(1, rules.dice + 1):
            for second in range(1, rules.dice + 1):
                plain = plain_round(rules, (first, second))
                if plain is not None:
                    found.setdefault((plain, (first, second)), effort)
    return dict(sorted(found.items(), key=lambda one: (sum(one[0][1]), str(one[0][0]), one[0][1])))


def train_two_players(
    presets: Mapping[str, Effort],
    out: Path,
    work: Path,
    about: Header,
    seed: int = 0,
    workers: int = 1,
    report: Report = lambda progress: None,
) -> list[SparsePage]:
    """Solve the missing rounds and write the book; ``about`` goes into its header."""
    rounds = rounds_of(presets)
    solved = 0

    def solve(round: Round) -> SparsePage:
        nonlocal solved
        started = time.perf_counter()
        page = kept_page(round, work, seed, rounds[round])
        solved += 1
        seconds = time.perf_counter() - started
        report(Progress(round[1], solved, len(rounds), seconds))
        return page

    with ThreadPoolExecutor(workers) as pool:
        pages = list(pool.map(solve, rounds))
    shipped = [thinner(page) for page in pages]
    header = about.copy()
    header["seed"] = seed
    save(out, shipped, header)
    return shipped


def thinner(page: SparsePage) -> SparsePage:
    """Return a page reduced for the book; exact solutions are not reduced."""
    if page.about["memory"] == ALL_MOVES:
        return page
    start = PERUDO.start(Rules.parse(page.about["rules"]), 2, page.about["dice"], opener=0)
    graph = memory_graph.build(start, page.about["memory"])
    thrift = SHIPPED_SMALL if sum(page.about["dice"]) <= SMALL else SHIPPED
    return sparse_page(graph, dense(page, graph), page.about, thrift)


def kept_page(round: Round, work: Path, seed: int, effort: Effort) -> SparsePage:
    """Return a round's page from the working directory; solve the round first if it is missing."""
    name = hashlib.sha256(f"{round} {seed} {effort} {EXACT_POSITIONS} {PERUDO.revision}".encode())
    path = work / f"{name.hexdigest()[:16]}.page"
    if not path.exists():
        save(path, [solve_round(round, seed, effort)], {})
    return load(path.read_bytes(), str(path))[1][0]


def solve_round(round: Round, seed: int, effort: Effort) -> SparsePage:
    """Solve a round, exactly if it is small enough."""
    rules, dice = round
    start = PERUDO.start(rules, 2, list(dice), opener=0)
    about: About = {"rules": str(rules), "dice": list(dice)}
    try:
        tree = public_tree.build(start, largest=EXACT_POSITIONS)
    except public_tree.TooLargeError:
        return _learn(start, about, seed, effort)
    exact = Solver(tree, "dcfr")
    while exact.iterations == 0 or exact.exploitability() > EXACT_TARGET:
        exact.iterate(100)
    value, error = exact.value(), exact.exploitability()
    about = {**about, "memory": ALL_MOVES, "value": value, "error": error}
    graph = memory_graph.build(start, ALL_MOVES)
    return sparse_page(graph, _spread(graph, exact.page({})), about, EXACTLY)


def _learn(start: State, about: About, seed: int, effort: Effort) -> SparsePage:
    memory = memory_graph.longest_memory(start, SHORTEST_MEMORY, LONGEST_MEMORY, effort.nodes)
    graph = memory_graph.build(start, memory)
    hands = sum(len(weights) for weights in graph.weights)
    deals = min(effort.deals, max(MOST_WORK // (len(graph.targets) * hands), FEWEST_DEALS))
    about = {**about, "memory": memory, "deals": deals}
    if effort.clones:
        clones = [_clone(graph, number) for number in range(effort.clones)]
        first, second = restricted_response(graph, seed, deals, clones, effort.share)
        about = {**about, "clones": effort.clones, "share": effort.share}
    else:
        solver = HandsSolver(graph, seed)
        solver.iterate(deals)
        first, second = solver.average()
    about["value"] = value_of(graph, first, second)
    return sparse_page(graph, (first, second), about, KEPT)


def _clone(graph: MemoryGraph, seed: int) -> Players:
    """Return the policy of an opponent trained like the agent ``cfr``, with other deals."""
    solver = MemorySolver(graph, seed)
    solver.iterate(CLONE_DEALS)
    first, second = (np.where(part < MIN_CHANCE, 0.0, part) for part in solver.average())
    return first, second


def _spread(graph: MemoryGraph, page: Page) -> Players:
    """Return a dense page's probabilities, laid out by player and hand like a graph's."""
    moves, offsets = np.diff(graph.edges), graph.offsets
    place = {int(key): index for index, key in enumerate(page.keys)}
    chances = [
        np.zeros((len(graph.weights[p]), int(moves[graph.actors == p].sum())), np.float32)
        for p in range(2)
    ]
    for node in range(graph.nodes):
        player, count, offset = int(graph.actors[node]), int(moves[node]), int(offsets[node])
        hands = len(graph.weights[player])
        begin = int(page.first[place[int(graph.keys[node])]])
        rows = page.chances[begin : begin + hands * count].reshape(hands, count).astype(np.float32)
        chances[player][:, offset : offset + count] = rows / rows.sum(axis=1, keepdims=True)
    return chances[0], chances[1]
