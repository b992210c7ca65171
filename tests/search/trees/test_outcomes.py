"""Outcomes of rounds: equal match states have equal keys, also in plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kuhn_poker

from perudo.games.perudo import PERUDO, Rules
from perudo.search.trees.public_tree import build

EXAMPLES = Path(kuhn_poker.__file__).parent
SOLVING = """
import sys
sys.path.insert(0, sys.argv[1])
import kuhn_poker
from perudo.search.cfr.public_tree_cfr import Solver
from perudo.search.trees.public_tree import build
game = kuhn_poker.KUHN_POKER
solver = Solver(build(game.start(game.setting("standard"), 2)), "dcfr")
solver.iterate(40)
print("numba" in sys.modules, solver.value(), solver.exploitability())
"""


def test_a_tiny_game_is_solved_without_compiling() -> None:
    found = subprocess.run(
        [sys.executable, "-c", SOLVING, str(EXAMPLES)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert found.returncode == 0, found.stderr
    compiled, value, exploitability = found.stdout.split()
    assert compiled == "False"
    assert abs(float(value) + 1 / 18) < 0.02
    assert float(exploitability) < 0.05


def test_a_round_of_perudo_leads_to_few_standings() -> None:
    """Whatever was bid and held: A wins the match, or has one die left and opens."""
    tree = build(PERUDO.start(Rules.parse("common"), 2, [2, 1], opener=0))
    standings = [
        (tuple(map(int, state.record.counts[:2])), int(state.record.opener))
        for state in tree.outcomes.states
    ]
    assert sorted(standings) == [((1, 1), 0), ((2, 0), 0)]


def test_matches_that_are_over_are_told_apart_by_what_they_pay() -> None:
    game = kuhn_poker.KUHN_POKER
    tree = build(game.start(game.setting("standard"), 2))
    # Up or down one chip or two, whatever the cards; and 0 for two cards that are the same.
    assert sorted(tree.outcomes.round_payoffs) == [-2.0, -1.0, 0.0, 1.0, 2.0]
    assert len(tree.outcomes.states) == 5
