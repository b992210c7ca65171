"""The preset ``openspiel`` is the game that OpenSpiel calls liars_dice."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from perudo.games.perft import perft
from perudo.games.perudo import PERUDO, Bid, PerudoState, Rules, position

try:
    import pyspiel
except ImportError:
    if os.environ.get("CI"):
        raise
    pytest.skip("OpenSpiel is not installed: pip install 'perudo[peers]'", allow_module_level=True)

FACES = 6


def to_open_spiel(action: str, dice: int) -> int:
    """Its number of an action: bids by quantity and face, then liar."""
    if action == "dudo":
        return dice * FACES
    bid = Bid.parse(action)
    return (bid.quantity - 1) * FACES + bid.face - 1


def deal(game: Any, hands: tuple[str, str]) -> Any:
    state = game.new_initial_state()
    for hand in hands:
        for die in hand:
            state.apply_action(int(die) - 1)
    return state


def compare(mine: PerudoState, theirs: Any, choose: random.Random) -> None:
    """Play one round in both, comparing everything."""
    dice = mine.total_dice
    while mine.actor is not None:
        assert mine.actor == theirs.current_player()
        legal = {to_open_spiel(str(action), dice): action for action in mine.legal_actions}
        assert sorted(legal) == theirs.legal_actions()
        number = choose.choice(sorted(legal)[:8] + sorted(legal)[-1:])
        mine = mine.apply(legal[number])
        theirs.apply_action(number)
    assert theirs.is_terminal()
    assert list(mine.payoffs()) == theirs.returns()


@pytest.mark.parametrize("dice", [1, 2, 5])
def test_rounds_agree(dice: int) -> None:
    game = pyspiel.load_game(f"liars_dice(players=2,numdice={dice})")
    choose = random.Random(dice)
    for _ in range(60):
        first, second = ("".join(choose.choices("123456", k=dice)) for _ in range(2))
        mine = position(f"openspiel:dice={dice}", [first, second], turn="A")
        compare(mine, deal(game, (first, second)), choose)


def test_the_trees_are_equally_large() -> None:
    """Every node of OpenSpiel's tree, for one die each."""
    game = pyspiel.load_game("liars_dice(players=2,numdice=1)")
    decisions, terminals, sets = 0, 0, set()
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        if state.is_terminal():
            terminals += 1
            continue
        if not state.is_chance_node():
            decisions += 1
            sets.add(state.information_state_string())
        stack += [state.child(action) for action in state.legal_actions()]
    counted = perft(PERUDO.start(Rules.parse("openspiel:dice=1"), 2))
    assert counted.decision_nodes == decisions == 147456
    assert counted.terminal_nodes == terminals == 147420
    assert counted.information_sets == len(sets) == 24576
