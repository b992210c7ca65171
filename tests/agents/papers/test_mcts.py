"""The thesis' tree searches: their parts worked by hand, and that they find the obvious."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import perudo
from perudo.agents.agent import Decision
from perudo.agents.papers.mcts import (
    LEAF,
    NO_NODE,
    NODE_DTYPE,
    OBSERVERS,
    RANDOM_OPPONENTS,
    ROOT,
    Ensemble,
    MctsObserver,
    MctsRandom,
    back_up,
    best_by_ucb,
    best_child,
    child_for,
    expand,
    grow,
    plant,
    select,
)
from perudo.agents.papers.observer import Observer
from perudo.agents.papers.pseudo_rolls import (
    BELIEVED,
    ENUMERATED,
    INFORMED,
    combinations,
    deal_pseudo_rolls,
    face_chances,
    list_multisets,
    new_dealer,
    rollout_budget,
)
from perudo.games.chance import below, stream_of
from perudo.games.perudo import PERUDO, PRESETS
from perudo.games.perudo.layout import count_in_hand
from perudo.games.perudo.rules import Rules
from perudo.games.policy import model_of

SEARCHERS = (MctsRandom, MctsObserver, Ensemble)


def decide(agent: Any, text: str, seed: int = 1) -> Decision:
    decision = agent.decide(perudo.position(text), agent.new_memory(), stream_of(seed))
    assert isinstance(decision, Decision)
    assert decision.thoughts is not None
    return decision


def values(agent: Any, text: str, seed: int = 1) -> dict[str, float]:
    found = decide(agent, text, seed).thoughts
    assert found is not None
    return found.values


# --- budgets ------------------------------------------------------------------------------------
def test_combinations_with_repetition() -> None:
    """Equations 5.3 and 5.4, and 252 hands of five dice."""
    assert [combinations(dice) for dice in (0, 1, 5, 10, 15, 20, 25)] == [
        1, 6, 252, 3003, 15504, 53130, 142506,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "by_seat", "cap", "expected"),
    [
        ("common 12345/????? A -", False, 10_000, 278),  # 277.2
        ("common 12345/????? A -", True, 3_500, 278),
        ("common 12345/?????/????? A -", False, 10_000, 3304),  # 3303.3
        ("common 12345/?????/????? A -", True, 3_500, 3500),  # 63504
        ("common 12345/?????/????? A -", True, 100_000, 69855),  # 69854.4
        ("common 12345/?????/?????/?????/????? A -", False, 100_000, 58443),  # exactly
        ("common 1/??/? A -", True, 3_500, 139),  # 21 * 6 = 126: 138.6
    ],
)
def test_budget(text: str, by_seat: bool, cap: int, expected: int) -> None:
    """A tenth more than there are deals, rounded up: of one pool, or cup by cup."""
    record = perudo.position(text).record
    assert rollout_budget(record, 0, by_seat, cap) == expected


def test_budgets_of_the_agents() -> None:
    """The caps differ: 10000 at random, 3500 with Observers, 10000 for the ensemble."""
    many = "common 11246/?????/?????/?????/?????/????? A 9x4"
    for kind, expected in ((MctsRandom, 10_000), (MctsObserver, 3_500)):
        found = decide(kind(), many).thoughts
        assert found is not None
        assert found.rollouts == expected
    assert Ensemble().cap == 10_000
    found = decide(MctsRandom(rollouts=20_000), many).thoughts
    assert found is not None
    assert found.rollouts == 20_000


# --- the tree -----------------------------------------------------------------------------------
def small_node() -> Any:
    """A root that was visited five times, with children of values .5 (4 visits) and .2 (1)."""
    nodes = np.zeros(6, NODE_DTYPE)
    plant(nodes, ROOT, NO_NODE, 0)
    nodes[ROOT].first, nodes[ROOT].children, nodes[ROOT].tried = 1, 2, 2
    for place, rewards in ((1, (1.0, 0.0, 1.0, 0.0)), (2, (0.2,))):
        plant(nodes, place, ROOT, place)
        for reward in rewards:
            back_up(nodes, place, reward, 1.0)
    return nodes


def test_rewards_are_averaged_up_the_tree() -> None:
    """(1 + 0 + 1 + 0 + .2) / 5 = .44 at the root."""
    nodes = small_node()
    assert [int(nodes[place].visits) for place in range(3)] == [5, 4, 1]
    assert [float(nodes[place].worth) for place in range(3)] == pytest.approx([0.44, 0.5, 0.2])
    assert float(nodes[1].spread) == pytest.approx(0.5)


def test_ucb_by_hand() -> None:
    """N = 5, ln N = 1.609. c = 2: .5 + 2 * .634 = 1.769 against .2 + 2 * 1.269 = 2.737.

    c = 0.1: .563 against .327. An opponent with c = 0.1: -.437 against -.073. An opponent with
    c = 0 takes the lower value, the searcher the higher.
    """
    nodes = small_node()
    root = math.sqrt(math.log(5))
    assert best_by_ucb(nodes, 1, 2, 1.0, 2 * root) == 2
    assert best_by_ucb(nodes, 1, 2, 1.0, 0.1 * root) == 1
    assert best_by_ucb(nodes, 1, 2, -1.0, 0.1 * root) == 2
    stream = stream_of(1)
    assert [select(nodes, ROOT, 1.0, c, stream) for c in (2.0, 0.1, 0.0)] == [2, 1, 1]
    assert [select(nodes, ROOT, -1.0, c, stream) for c in (0.1, 0.0)] == [2, 2]


def test_ucb_turns_where_the_formula_says() -> None:
    """The bounds are equal at c = .3 / (1.269 - .634) = .4729: just below 1 wins, just above 2."""
    nodes = small_node()
    even = 0.3 / (math.sqrt(math.log(5)) * 0.5)
    assert select(nodes, ROOT, 1.0, even - 1e-6, stream_of(1)) == 1
    assert select(nodes, ROOT, 1.0, even + 1e-6, stream_of(1)) == 2


def test_unvisited_children_come_first() -> None:
    """Every legal action once, in random order, before any comes again."""
    record = perudo.position("common 12/?? A 2x3").record
    nodes = np.zeros(40, NODE_DTYPE)
    orders = set()
    for seed in range(3):
        plant(nodes, ROOT, NO_NODE, 0)
        used = expand(nodes, ROOT, 1, record)
        count = int(nodes[ROOT].children)
        assert used == 1 + count == 1 + len(perudo.position("common 12/?? A 2x3").legal_actions)
        stream, seen = stream_of(seed), []
        for _ in range(count):
            child = select(nodes, ROOT, 1.0, 2.0, stream)
            assert nodes[child].visits == 0
            assert nodes[child].children == LEAF
            back_up(nodes, child, -1.0, 1.0)
            seen.append(int(nodes[child].action))
        assert sorted(seen) == sorted(perudo.position("common 12/?? A 2x3").legal_actions.codes)
        orders.add(tuple(seen))
    assert len(orders) == 3


def test_an_answer_is_found_again() -> None:
    """A chain grows only by new actions."""
    nodes = np.zeros(5, NODE_DTYPE)
    plant(nodes, ROOT, NO_NODE, 0)
    children = [child_for(nodes, ROOT, *new) for new in ((1, 17), (2, 18), (3, 17))]
    assert children == [1, 2, 1]
    assert child_for(nodes, ROOT, 3, 19) == 3
    assert child_for(nodes, ROOT, 4, 18) == 2


def test_final_choice() -> None:
    """Highest mean: child 1 (.5). Most visits: child 2, once it has more."""
    nodes = small_node()
    for _ in range(9):
        back_up(nodes, 2, 0.2, 1.0)
    assert best_child(nodes, 0) == 1
    assert best_child(nodes, 1) == 2


@pytest.mark.parametrize("opponents", [RANDOM_OPPONENTS, OBSERVERS])
def test_a_full_tree_is_still_searched(opponents: int) -> None:
    """With room for the root's children only, all rollouts are made and counted."""
    record = perudo.position("s0_sim 33/?? A 1x3").record
    record_actions = len(perudo.position("s0_sim 33/?? A 1x3").legal_actions)
    nodes = np.zeros(record_actions + 4, NODE_DTYPE)
    parameters, workspace = MctsRandom().parameters, np.zeros(1, PERUDO.dtype)
    model = model_of(Observer.policy, PERUDO.dtype, Observer().parameters, np.zeros((10, 1)))
    done = grow(nodes, workspace, record, opponents, 500, parameters, model, stream_of(1))
    assert done == 500 == int(nodes[ROOT].visits)
    assert sum(int(nodes[1 + child].visits) for child in range(record_actions)) == 500


# --- pseudo-rolls -------------------------------------------------------------------------------
def test_multisets_and_their_weights() -> None:
    """252 hands of five dice; 11111 falls in one order, 12345 in 120, of 7776."""
    hands, weights = np.zeros(252, np.uint64), np.zeros(252)
    assert list_multisets(5, hands, weights, 0) == 252
    assert len(set(hands.tolist())) == 252
    assert weights.sum() == pytest.approx(252)
    for faces, orders in (("11111", 1), ("12345", 120), ("66554", 30)):
        hand = sum(np.uint64(1) << np.uint64(8 * int(face)) for face in faces)
        assert weights[hands == hand] == pytest.approx(orders * 252 / 7776)


def dealer_for(record: Any, by_seat: bool, kind: int, rollouts: int, stream: Any) -> Any:
    """A dealer for seat A; the Observer is the model, if one is asked for."""
    model = model_of(Observer.policy, PERUDO.dtype, Observer().parameters, np.zeros((10, 1)))
    return new_dealer(record, 0, by_seat, kind, 0.5, rollouts, model, stream)


@pytest.mark.parametrize("by_seat", [False, True])
def test_enumerated_deals_have_the_right_counts(by_seat: bool) -> None:
    """Over all deals, weighted, each of three dice in two cups shows each face with 1/6."""
    record = perudo.position("common 12345/??/? A 2x4").record
    stream, deals = stream_of(1), 126 if by_seat else 56
    dealer = dealer_for(record, by_seat, ENUMERATED, deals, stream)
    assert dealer.kind == ENUMERATED
    total, sixes, pairs = 0.0, 0.0, 0.0
    for turn in range(deals):
        weight = deal_pseudo_rolls(record, 0, by_seat, dealer, turn, stream)
        cups = [[int(count_in_hand(record.hands[s], f)) for f in range(1, 7)] for s in (1, 2)]
        assert [sum(cup) for cup in cups] == [2, 1]
        total += weight
        sixes += weight * (cups[0][5] + cups[1][5])
        pairs += weight * (cups[0][5] + cups[1][5] >= 2)
    assert total == pytest.approx(deals)
    assert sixes / total == pytest.approx(3 / 6)
    assert pairs / total == pytest.approx(16 / 216)  # two or three sixes of three dice
    fewer = dealer_for(record, by_seat, ENUMERATED, deals - 1, stream)
    assert fewer[0] != ENUMERATED


def test_informed_deals_follow_bids() -> None:
    """B bid twice on fours: 1, 1, 1, 2, 1, 1 of 7. A's and wild bids do not count for B."""
    record = perudo.position("official 12345/?????/????? A 2x4,2x5,3x4,3x5,2x1").record
    faces = np.zeros((10, 7))
    face_chances(record, 0.5, faces)
    history = perudo.position("official 12345/?????/????? A 2x4,2x5,3x4,3x5,2x1").history
    assert [(seat, str(bid)) for seat, bid in history if seat == 1] == [(1, "2x4"), (1, "3x5")]
    assert faces[1, 1:] * 7 == pytest.approx([1, 2, 3, 4.5, 6, 7])
    assert faces[2, 1:] * 6.5 == pytest.approx([1, 2, 3, 4, 5.5, 6.5])
    stream, fours, rolls = stream_of(2), 0, 4000
    dealer = dealer_for(record, False, INFORMED, 100, stream)
    for turn in range(rolls):
        assert deal_pseudo_rolls(record, 0, False, dealer, turn, stream) == 1.0
        fours += int(count_in_hand(record.hands[1], 4))
    chance = 1.5 / 7
    assert abs(fours - 5 * rolls * chance) < 4 * math.sqrt(5 * rolls * chance * (1 - chance))


def test_believed_deals_follow_bids_as_well() -> None:
    """An Observer that says three fours over two fives mostly has some; A's dice are known."""
    record = perudo.position("official 12345/?????/????? A 2x5,3x4").observe(0).record
    stream, fours, rolls = stream_of(2), np.zeros(3), 4000
    dealer = dealer_for(record, False, BELIEVED, 100, stream)
    for turn in range(rolls):
        assert deal_pseudo_rolls(record, 0, False, dealer, turn, stream) == 1.0
        fours += [int(count_in_hand(hand, 4)) for hand in record.hands[:3]]
    assert fours[0] == rolls
    assert fours[2] > 1.5 * 5 * rolls / 6


@pytest.mark.parametrize("kind", [MctsRandom, MctsObserver])
@pytest.mark.parametrize(
    ("scoring", "lose", "gain"), [("lose", -1, 0), ("gain", -1, 1), ("ten", -10, 1)]
)
def test_enumeration_is_exact_for_one_hidden_die(
    kind: type[MctsRandom], scoring: str, lose: float, gain: float
) -> None:
    """Two threes, one die unseen, bid 2x3: calza is right if the die is neither 1 nor 3, 4 of 6.

    Dudo surely loses. So much exploration visits all actions alike: six deals each.
    """
    text = "s0_sim 33/? A 2x3"
    actions = len(perudo.position(text).legal_actions)
    agent = kind(scoring=scoring, rollouts=6 * actions, c=100.0, pseudo_rolls="enumerate")
    found = values(agent, text)
    assert found["calza"] == pytest.approx(4 / 6 * gain + 2 / 6 * lose)
    assert found["dudo"] == lose


def test_enumeration_weighs_two_hidden_dice() -> None:
    """Two threes, two dice unseen, bid 3x3: dudo loses if either is 1 or 3: 5/9.

    Unweighted it would be 11 of 21 multisets.
    """
    text = "s0_sim 33/?? A 3x3"
    actions = len(perudo.position(text).legal_actions)
    agent = MctsRandom(rollouts=21 * actions, c=100.0, pseudo_rolls="enumerate")
    assert values(agent, text)["dudo"] == pytest.approx(-5 / 9)
    assert values(agent, text)["calza"] == pytest.approx(-5 / 9)  # exactly one: 4/9 right


def test_a_right_calza_gains_even_with_a_full_cup() -> None:
    """Five threes of five own dice, one die unseen: 5x3 is exact with 4/6."""
    text = "s0_sim 33333/? A 5x3"
    actions = len(perudo.position(text).legal_actions)
    for scoring, gain in (("lose", 0.0), ("gain", 1.0)):
        agent = MctsRandom(scoring=scoring, rollouts=6 * actions, c=100.0, pseudo_rolls="enumerate")
        assert values(agent, text)["calza"] == pytest.approx(4 / 6 * gain - 2 / 6)


# --- decisions ----------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", SEARCHERS)
def test_finds_a_dudo_that_cannot_fail(kind: type[MctsRandom]) -> None:
    """Six threes, none of them own, and only five dice unseen."""
    decision = decide(kind(rollouts=5000), "common 22222/????? A 6x3")
    assert decision.action == perudo.Dudo
    assert decision.thoughts is not None
    assert decision.thoughts.probabilities is None
    assert decision.thoughts.values["dudo"] == 0.0
    assert decision.thoughts.chance == 0.0
    assert decision.thoughts.rollouts == 5000


@pytest.mark.parametrize("kind", SEARCHERS)
def test_avoids_a_dudo_that_must_fail(kind: type[MctsRandom]) -> None:
    """All five twos are own; the top quantity is 7."""
    decision = decide(kind(rollouts=5000), "common 22222/?? A 5x2")
    assert decision.action != perudo.Dudo
    assert decision.thoughts is not None
    assert decision.thoughts.values["dudo"] == -1.0


def test_lists_every_action() -> None:
    """Those that the budget left no rollout for have no value."""
    text = "common 12345/????? A 2x4"
    actions = len(perudo.position(text).legal_actions)
    assert len(values(MctsRandom(), text)) == actions
    assert len(values(MctsRandom(rollouts=7), text)) == 7


@pytest.mark.parametrize("kind", SEARCHERS)
def test_same_seed_same_move(kind: type[MctsRandom]) -> None:
    """All luck comes from the stream."""
    text = "official 11246/?????/????? A 3x4,5x5"
    agent = kind()
    assert decide(agent, text, seed=4) == decide(agent, text, seed=4)
    assert decide(agent, text, seed=4).thoughts != decide(agent, text, seed=5).thoughts


def test_stops_by_the_clock() -> None:
    """A limit of 20 ms leaves no time for ten million rollouts."""
    agent = MctsRandom(rollouts=10_000_000, time_limit=0.02)
    assert agent.uses_clock
    assert not MctsRandom().uses_clock
    found = decide(agent, "common 11246/?????/????? A 3x4").thoughts
    assert found is not None
    assert 0 < found.rollouts < 5_000_000


def test_ensemble_asks_the_observer_while_it_is_safe() -> None:
    """3x3 of ten dice is safe (.70), 4x3 is danger (.44): only there it searches."""
    safe = decide(Ensemble(), "common 22346/????? A 3x3").thoughts
    as_observer = decide(Observer(), "common 22346/????? A 3x3").thoughts
    assert safe == as_observer
    danger = decide(Ensemble(), "common 22346/????? A 4x3").thoughts
    assert danger is not None
    assert (danger.phase, danger.rollouts, danger.probabilities) == ("danger", 278, None)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_move_is_legal(preset: str) -> None:
    """Searchers of all kinds and random players at tables of all sizes."""
    agents: list[Any] = [kind(rollouts=60) for kind in SEARCHERS]
    agents += [MctsRandom(rollouts=60, pseudo_rolls=kind) for kind in ("enumerate", "informed")]
    agents += [MctsObserver(cap=60, pseudo_rolls="enumerate")]
    stream = stream_of(3)
    largest = Rules.parse(preset).max_players
    moves, match = 0, 0
    while moves < 300 or match < 10:
        setting = Rules.parse(f"{preset}:dice={1 + match % 8}")
        state = PERUDO.start(setting, min(2 + match % 9, largest))
        match += 1
        while not state.over and moves < 30 * match:
            if state.actor is None:
                state = state.deal(int(below(stream, 1 << 30)))
                continue
            seen = state.observe(state.actor)
            kind = int(below(stream, len(agents) + 1))
            if kind == len(agents):
                action = seen.legal_actions[int(below(stream, len(seen.legal_actions)))]
            else:
                action = agents[kind].decide(seen, agents[kind].new_memory(), stream).action
                assert action in state.legal_actions, f"{action} in {state.notation}"
            moves += 1
            state = state.apply(action)
