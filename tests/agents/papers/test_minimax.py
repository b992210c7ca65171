"""Minimax: the report's worked trees, pruning that changes nothing, and the players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from mixed_tables import RULE_SETS, play_at_mixed_tables
from perudo.agents.agent import Agent, Decision
from perudo.agents.papers.bet_generator import (
    MAX_DRAWS,
    SHEET_ROWS,
    Sheet,
    allow_higher_bids,
    allow_legal_bids,
    generate_bets,
    read_table,
    score,
)
from perudo.agents.papers.minimax import (
    LessMinimax,
    SlightlyLessMinimax,
    one_of_better_half,
    search_bets,
    search_tree,
)
from perudo.agents.random_agent import RandomAgent
from perudo.games.chance import below, combine, key_of, next_word, stream_of
from perudo.games.perudo import PERUDO, position
from perudo.games.perudo.layout import bid_code, face_of, quantity_of

AGENTS = (SlightlyLessMinimax(), LessMinimax())
Tree = Sequence[Any]


# --- trees that are written down ------------------------------------------------------------------
def search(tree: Tree, pruning: bool) -> tuple[float, int, int]:
    """Search a tree of nested lists, written breadth first as ``search_tree`` wants it."""
    queue: list[Any] = [tree]
    first, children, values = [], [], []
    for node in queue:  # grows as it goes
        inner = isinstance(node, list)
        first.append(len(queue))
        children.append(len(node) if inner else 0)
        values.append(0.0 if inner else float(node))
        queue += node if inner else []
    value, choice, leaves = search_tree(
        np.array(first), np.array(children), np.array(values), pruning
    )
    return float(value), int(choice), int(leaves)


def test_the_reports_minimax_example() -> None:
    """B, C and D take their least, 3, 2 and 2; A takes the most of those, so it goes to B."""
    tree = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
    assert search(tree, pruning=False) == (3.0, 0, 9)
    assert search(tree, pruning=True) == (3.0, 0, 7)  # after C's 2, which is below 3, no 4 and 6


def test_the_reports_alpha_beta_example() -> None:
    """D is 5, so B is at most that; E's first leaf is 6, so its sibling is cut. The figure is lost;
    with F's 2 below A's 5, G's two leaves are the other nodes of the three that are saved."""
    tree = [[[3, 5], [6, 9]], [[1, 2], [0, -1]]]
    assert search(tree, pruning=False) == (5.0, 0, 8)
    assert search(tree, pruning=True) == (5.0, 0, 8 - 3)


def test_only_the_left_half_of_that_tree() -> None:
    """B alone, to see the cut that the report tells step by step: 3, 5 and 6 are looked at."""
    assert search([[[3, 5], [6, 9]]], pruning=True) == (5.0, 0, 3)


def test_the_first_of_equal_children_is_chosen() -> None:
    for pruning in (False, True):
        assert search([[4, 7], [4, 5], [1]], pruning)[:2] == (4.0, 0)


def random_tree(stream: Any, height: int) -> Any:
    if height == 0:
        return below(stream, 21) - 10
    return [random_tree(stream, height - 1) for _ in range(1 + below(stream, 4))]


def by_recursion(tree: Any, maximise: bool) -> float:
    if not isinstance(tree, list):
        return float(tree)
    return (max if maximise else min)(by_recursion(child, not maximise) for child in tree)


def test_pruning_changes_neither_value_nor_move_of_random_trees() -> None:
    stream, saved = stream_of(5), 0
    for _ in range(300):
        tree = random_tree(stream, 1 + below(stream, 4))
        plain, pruned = search(tree, pruning=False), search(tree, pruning=True)
        assert plain[:2] == pruned[:2]
        assert plain[0] == by_recursion(tree, True)
        assert by_recursion(tree[plain[1]], False) == plain[0]
        saved += plain[2] - pruned[2]
    assert saved > 0


# --- trees of bets --------------------------------------------------------------------------------
Root = tuple[Sheet, int, int]


def root(agent: SlightlyLessMinimax, line: str) -> Root:
    record = position(line).record
    sheet = np.zeros((SHEET_ROWS, 7), np.int64)
    dice = read_table(record, True, 0, sheet)
    allow_legal_bids(record, sheet)
    return sheet, int(dice), int(record.total)


def search_from(agent: SlightlyLessMinimax, line: str, key: np.uint64) -> tuple[float, int, int]:
    sheet, dice, total = root(agent, line)
    bets = np.zeros((agent.depth, MAX_DRAWS), np.int64)
    value, place, leaves = search_bets(sheet, dice, total, agent.parameters, key, bets)
    return float(value), int(bets[0, place]) if place >= 0 else 0, int(leaves)


def bets_by_recursion(
    agent: SlightlyLessMinimax, sheet: Sheet, dice: int, total: int, key: Any, bet: int, level: int
) -> float:
    """The report's listing C.1, written as it is there."""
    sign = -1 if level % 2 == 0 else 1
    bets: npt.NDArray[np.int64] = np.zeros(MAX_DRAWS, np.int64)
    count = 0
    if level < agent.depth:
        if level > 0:
            allow_higher_bids(bet, total, sheet)
        stream = np.array([key], np.uint64)
        count = generate_bets(sheet, agent.generated, stream, bets)
    if count == 0:
        return sign * float(score(bet, dice, sheet, agent.history_weight))
    values = [
        bets_by_recursion(
            agent,
            sheet,
            dice,
            total,
            np.uint64(combine(np.uint64(key), child)),
            int(bets[child]),
            level + 1,
        )
        for child in range(count)
    ]
    return (max if level % 2 == 0 else min)(values)


LINES = (
    "common 11246/????? A 3x4",
    "common 23456/?????/????? A 1x5,2x5,5x6",
    "common 35/?? A 2x3",
    "official 1345/????/????? A 4x4,2x1",
    "official ?/114/? B 1x1 palafico=A been=AC",
)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_pruning_changes_neither_value_nor_bet(line: str, depth: int) -> None:
    for kind in (SlightlyLessMinimax, LessMinimax):
        for seed in range(5):
            plain = search_from(kind(depth=depth, pruning=False), line, key_of(seed))
            pruned = search_from(kind(depth=depth), line, key_of(seed))
            assert plain[:2] == pruned[:2]
            assert pruned[2] <= plain[2]


def test_pruning_saves_most_of_the_work() -> None:
    leaves = [
        sum(
            search_from(SlightlyLessMinimax(pruning=pruning), LINES[0], key_of(seed))[2]
            for seed in range(5)
        )
        for pruning in (False, True)
    ]
    assert leaves[1] < leaves[0] / 2


@pytest.mark.parametrize("line", LINES)
def test_the_search_is_the_listings(line: str) -> None:
    agent = LessMinimax(generated=4, depth=3, pruning=False)
    for seed in range(3):
        sheet, dice, total = root(agent, line)
        expected = bets_by_recursion(agent, sheet, dice, total, key_of(seed), 0, 0)
        assert search_from(agent, line, key_of(seed))[0] == expected


def test_two_levels_by_hand() -> None:
    """Two dice are in play, own 5; 1x6 stands. Bets left: 2 of 2 to 6. After 2x6 no bet is left: it
    is a leaf where the minimiser is to move, worth its score, 0. After 2x5 only 2x6 is left, a leaf
    worth minus its score, -0; after 2x4 the minimiser takes 2x5, worth -1/3. So the root is worth
    0, by 2x5 or 2x6."""
    for seed in range(10):
        value, bid, _ = search_from(SlightlyLessMinimax(depth=2), "common 5/? A 1x6", key_of(seed))
        assert value == 0.0
        assert bid in (bid_code(2, 5), bid_code(2, 6))


# --- the players ----------------------------------------------------------------------------------
def decide(agent: Agent, line: str, seed: int = 1) -> Decision:
    decision = agent.decide(position(line), agent.new_memory(), stream_of(seed))
    assert isinstance(decision, Decision)
    return decision


def test_it_often_calls_a_bid_that_it_knows_to_be_true() -> None:
    """Minimax likes bets that are hard to answer, so its bet after 3x4 of ten dice is often
    unlikely and it calls, although own 1, 1 and 4 hold 3x4. That is why it never wins."""
    decisions = [decide(SlightlyLessMinimax(bluff=0), LINES[0], seed) for seed in range(20)]
    assert sum(str(decision.action) == "dudo" for decision in decisions) >= 5
    thoughts = decisions[0].thoughts
    assert thoughts is not None
    assert thoughts.chance == 1.0
    assert thoughts.probabilities is None
    assert thoughts.values["dudo"] == 0.25
    assert len(thoughts.values) == 1 + 10


@pytest.mark.parametrize("line", LINES)
def test_it_makes_the_bet_of_the_search_unless_its_score_is_below_prob(line: str) -> None:
    """The listing says "less than prob": a bet that just reaches it is made."""
    sheet, dice, _ = root(SlightlyLessMinimax(), line)
    for seed in range(4):
        key = np.uint64(next_word(stream_of(seed)))
        bid = search_from(SlightlyLessMinimax(), line, key)[1]
        worth = float(score(bid, dice, sheet, 0.0))
        just = decide(SlightlyLessMinimax(prob=worth, bluff=0), line, seed)
        assert PERUDO.format_action(bid) == str(just.action)
        if worth < 1.0:
            above = decide(SlightlyLessMinimax(prob=min(worth + 1e-9, 1.0), bluff=0), line, seed)
            assert str(above.action) == "dudo"


def test_scores_are_those_of_the_dumb_players() -> None:
    """4x4 needs one of five, 211/243; with history 3x4 adds .03."""
    plain = decide(SlightlyLessMinimax(generated=150), LINES[0]).thoughts
    believing = decide(LessMinimax(generated=150), LINES[0]).thoughts
    assert plain is not None
    assert believing is not None
    assert plain.values["4x4"] == pytest.approx(211 / 243)
    assert believing.values["4x4"] == pytest.approx(211 / 243 + 0.03)


def test_one_die_and_openings_are_as_for_the_dumb_players() -> None:
    for agent in AGENTS:
        assert str(decide(agent, "common 4/????? A -").action) == "1x4"
        assert str(decide(agent, "common 4/????? A 1x4").action) == "dudo"
        thoughts = decide(agent, "common 11246/????? A -").thoughts
        assert thoughts is not None
        expected = {f"{n}x{face}": 1 / 15 for n in (2, 3, 4) for face in range(2, 7)}
        assert thoughts.probabilities == pytest.approx(expected)


def test_a_bluff_is_one_of_the_better_half() -> None:
    """Own 11246, ten dice, 3x4 stands. By score: 3x6 is sure, 4x4 and 3x5 211/243, 5x4 131/243, 6x5
    needs four: 11/243. Of five bets places 0 to 2 are picked from."""
    sheet, dice, _ = root(SlightlyLessMinimax(), LINES[0])
    stream, picked = stream_of(2), set()
    codes = [bid_code(n, face) for n, face in ((6, 5), (5, 4), (3, 5), (3, 6), (4, 4))]
    best_first = [bid_code(n, face) for n, face in ((3, 6), (3, 5), (4, 4), (5, 4), (6, 5))]
    for _ in range(60):
        bets = np.array(codes)
        bet = int(one_of_better_half(bets, 5, dice, sheet, 0.0, stream))
        picked.add((int(quantity_of(bet)), int(face_of(bet))))
        assert [int(bid) for bid in bets] == best_first
    assert picked == {(3, 6), (3, 5), (4, 4)}


def test_it_bluffs_only_when_its_bet_is_likely_enough() -> None:
    """With prob 0 every bet is, and with bluff 1 it always bluffs; with prob 1 hardly any is."""
    bold = {
        str(decide(SlightlyLessMinimax(prob=0, bluff=1), LINES[0], s).action) for s in range(30)
    }
    assert "dudo" not in bold
    assert len(bold) > 5
    assert str(decide(SlightlyLessMinimax(prob=1, bluff=1), LINES[0]).action) == "dudo"


def test_plain_minimax_plays_the_same() -> None:
    for seed in range(10):
        pruned = decide(LessMinimax(prob=0.01), LINES[1], seed).action
        assert pruned == decide(LessMinimax(prob=0.01, pruning=False), LINES[1], seed).action


def test_defaults_are_the_reports() -> None:
    assert [(a.prob, a.bluff, a.history_weight, a.generated, a.depth) for a in AGENTS] == [
        (0.25, 0.1, 0.0, 10, 4),
        (0.4, 0.1, 0.01, 10, 4),
    ]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_every_move_is_legal(rules: str) -> None:
    agents = (*AGENTS, LessMinimax(one_die_rule=False, prob=0, bluff=0.5), RandomAgent())
    play_at_mixed_tables(agents, rules)
