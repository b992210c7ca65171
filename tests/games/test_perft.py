"""10.2 Counting a round's tree: the engine, the stored numbers and the slow reference agree."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

import reference
from perudo.games import game_named
from perudo.games.game import State, seat_name
from perudo.games.perft import perft
from perudo.games.perudo.game import PERUDO
from perudo.games.perudo.position import position
from perudo.games.perudo.rules import PRESETS, Rules
from playthrough import packaged_games

GOLDEN = Path(__file__).parents[1] / "golden" / "perft.json"
QUICK = 40_000
"""The reference counts trees with at most so many decisions again; it made all the numbers."""


@dataclass(frozen=True)
class Golden:
    """A setting and its counts."""

    game: str
    setting: str
    players: int
    dice: list[int]
    decision_nodes: int
    terminal_nodes: int
    information_sets: int

    @property
    def counts(self) -> dict[str, int]:
        """The three counts."""
        names = ("decision_nodes", "terminal_nodes", "information_sets")
        return {name: count for name, count in asdict(self).items() if name in names}

    def __str__(self) -> str:
        return f"{self.setting} {'/'.join(map(str, self.dice))}"


GOLDENS = [Golden(**golden) for golden in json.loads(GOLDEN.read_text())]


def engine_counts(state: State) -> dict[str, int]:
    """Return the counts of the engine."""
    count = perft(state)
    return {
        "decision_nodes": count.decision_nodes,
        "terminal_nodes": count.terminal_nodes,
        "information_sets": count.information_sets,
    }


@pytest.mark.parametrize("golden", GOLDENS, ids=str)
def test_perft_agrees_with_the_reference(golden: Golden) -> None:
    """10.2 First rounds of matches."""
    game = game_named(golden.game)
    if game is not PERUDO:  # their own tests have models of them
        assert (
            engine_counts(game.start(game.setting(golden.setting), golden.players)) == golden.counts
        )
        return
    rules = Rules.parse(golden.setting)
    if golden.decision_nodes <= QUICK:
        assert reference.perft(rules, golden.dice) == golden.counts
    state = PERUDO.start(rules, golden.players, golden.dice, opener=0)
    assert engine_counts(state) == golden.counts


def test_there_are_counts_for_every_preset() -> None:
    """9 No preset is left out, and no game."""
    perudo = [golden for golden in GOLDENS if golden.game == "perudo"]
    assert {golden.setting.partition(":")[0] for golden in perudo} == set(PRESETS)
    assert {golden.game for golden in GOLDENS} == set(packaged_games())


@pytest.mark.parametrize(
    ("players", "options"),
    [
        (3, "palafico=automatic"),
        (3, "palafico_face_change=nobody,calza_in_palafico=yes"),
        (3, "ace_rank=below_double,ace_opening=yes,nonwild_order=unchanged"),
        (2, "two_player_palafico=full,palafico_owner_may_change=yes,raise_rule=neither_falls"),
        (2, "two_player_palafico=full,palafico_face_change=one_die,raise_rule=one_of_two"),
        (2, "palafico=declared,two_player_palafico=full,raise_rule=one_of_two"),
    ],
)
def test_perft_of_a_palafico_round_agrees_with_the_reference(players: int, options: str) -> None:
    """5, 10.2 A is newly down to one die and opens; the last seat has been there before."""
    text, last = f"official:dice=2,{options}", players - 1
    match = reference.Match(
        Rules.parse(text), (1,) * players, opener=0, been=frozenset({0, last}), due=0
    )
    cups = "/".join("." * players)
    state = position(f"{text} {cups} A - due=A been=A{seat_name(last)} round=3")
    assert engine_counts(state) == reference.count_round(match, 0)
