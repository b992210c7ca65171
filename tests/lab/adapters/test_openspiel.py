"""The OpenSpiel game: OpenSpiel's own checks, its liars_dice, and our solver agree with it."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from perudo.agents import agent_named
from perudo.games.errors import PerudoError, RulesError
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.solve.exploitability import exploitability

try:
    import pyspiel
except ImportError:
    if os.environ.get("CI"):
        raise
    pytest.skip("OpenSpiel is not installed: pip install 'perudo[peers]'", allow_module_level=True)

from open_spiel.python import policy
from open_spiel.python.algorithms.best_response import BestResponsePolicy

from perudo.lab.adapters.openspiel_game import AgentBot, PerudoGame

SMALL = {"raise_rule": "one_of_two", "ace_rank": "not_biddable", "ace_opening": "no"}
"""One die each and few bids: the whole tree takes OpenSpiel a second."""


def load(text: str) -> Any:
    return pyspiel.load_game(f"python_perudo({text})")


def random_walk(game: Any, luck: random.Random) -> list[Any]:
    """The states of a random match."""
    state = game.new_initial_state()
    states = [state.clone()]
    while not state.is_terminal():
        state.apply_action(luck.choice(state.legal_actions()))
        states.append(state.clone())
    return states


@pytest.mark.parametrize(
    "text",
    [
        "rules=openspiel,dice=1",
        "rules=official,dice=1,players=3",
        "rules=common,dice=2,players=4",
        "rules=official,options=palafico:declared;calza:no,dice=2",
    ],
)
def test_it_is_as_open_spiel_wants_it(text: str) -> None:
    pyspiel.random_sim_test(load(text), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("dice", [1, 3])
def test_under_its_rules_it_is_liars_dice(dice: int) -> None:
    """The same numbers, players, chance and returns; equal information is equal in both."""
    ours, original = load(f"dice={dice}"), pyspiel.load_game(f"liars_dice(numdice={dice})")
    assert ours.num_distinct_actions() == original.num_distinct_actions()
    assert ours.max_game_length() == original.max_game_length()
    luck = random.Random(dice)
    sets: dict[str, str] = {}
    for _ in range(30):
        mine, other = ours.new_initial_state(), original.new_initial_state()
        while not other.is_terminal():
            assert mine.current_player() == other.current_player()
            assert mine.legal_actions() == other.legal_actions()
            if not mine.is_chance_node():
                key = mine.information_state_string()
                assert sets.setdefault(key, other.information_state_string()) == (
                    other.information_state_string()
                )
            action = luck.choice(other.legal_actions()[:5] + other.legal_actions()[-1:])
            mine.apply_action(action)
            other.apply_action(action)
        assert mine.is_terminal()
        assert mine.returns() == other.returns()
    assert len(set(sets.values())) == len(sets)


def test_open_spiel_and_our_solver_find_the_same_exploitability() -> None:
    options = ";".join(f"{name}:{value}" for name, value in SMALL.items())
    game = load(f"rules=openspiel,options={options},dice=1")
    rules = Rules.preset("openspiel").with_options({**SMALL, "dice": "1"})
    found = exploitability(agent_named("random"), PERUDO.start(rules, 2, opener=0))
    uniform, root = policy.UniformRandomPolicy(game), game.new_initial_state()
    responses = found["best_response_opening"], found["best_response_answering"]
    for seat, ours in enumerate(responses):
        measured = BestResponsePolicy(game, seat, uniform).value(root)
        assert measured == pytest.approx(ours, abs=1e-9)
        assert measured > 0.3


@pytest.mark.parametrize(
    "text", ["rules=official,dice=3,players=3", "rules=common,dice=2", "dice=2"]
)
def test_information_is_what_a_player_knows(text: str) -> None:
    """Other dice of the others leave a player's strings and tensors as they are."""
    game, luck = load(text), random.Random(2)
    changed = 0
    for state in random_walk(game, luck)[:60]:
        if state.is_chance_node() or state.is_terminal():
            continue
        player = state.current_player()
        other = state.resample_from_infostate(player, luck.random)
        changed += str(other) != str(state)
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.observation_string(player) == state.observation_string(player)
        assert other.observation_tensor(player) == state.observation_tensor(player)
        assert other.legal_actions() == state.legal_actions()
        assert len(other.history()) == len(state.history())
        if game.get_type().provides_information_state_tensor:
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
    assert changed > 0


def test_the_information_tensor_tells_information_sets_apart() -> None:
    """Over random rounds with a random opener: equal tensors, equal strings."""
    game, luck = load("rules=perudish2,dice=2"), random.Random(4)
    strings: dict[tuple[float, ...], str] = {}
    for _ in range(40):
        for state in random_walk(game, luck):
            if state.is_chance_node() or state.is_terminal():
                continue
            for player in (0, 1):
                tensor = tuple(state.information_state_tensor(player))
                text = state.information_state_string(player)
                assert strings.setdefault(tensor, text) == text
    assert len(set(strings.values())) == len(strings)
    assert len(tensor) == 2 + 2 + 6 + 20


def test_past_rounds_are_remembered() -> None:
    state = load("rules=common,options=start_mode:fixed,dice=2").new_initial_state()
    for action in (0, 1, 5, 5):  # 12 and 66
        state.apply_action(action)
    for text in ("2x6", "dudo"):
        state.apply_action(state.string_to_action(text))
    assert state.is_chance_node()  # the ones are wild: three sixes, so B has lost a die
    for action in (2, 3, 4):
        state.apply_action(action)
    assert state.information_state_string(0) == "A 12 34 | 2x6 dudo [12/66]"
    assert state.information_state_string(1) == "B 66 5 | 2x6 dudo [12/66]"
    assert state.current_player() == 1


def test_nobody_may_ask_for_all_dice() -> None:
    everything = pyspiel.IIGObservationType(
        perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(ValueError, match="for one player"):
        load("dice=1").make_observer(everything, {})


def test_our_agents_are_bots() -> None:
    """The same seed gives the same match; a bot of theirs sits beside one of ours."""
    game = load("rules=common,dice=2")

    def match(seed: int) -> list[float]:
        bots = [
            AgentBot(agent_named("observer"), 0, seed),
            pyspiel.make_uniform_random_bot(1, seed),
        ]
        return list(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed))

    results = [match(seed) for seed in range(12)]
    assert [match(seed) for seed in range(12)] == results
    assert all(sorted(result) == [-1.0, 1.0] for result in results)
    assert sum(first for first, _ in results) > 0


def test_agents_that_learn_are_no_bots() -> None:
    with pytest.raises(PerudoError, match="learns from settled rounds"):
        AgentBot(agent_named("heuristic-adaptive"), 0)


def test_rules_that_cannot_be_played_are_refused() -> None:
    with pytest.raises(RulesError, match="needs max_players=2"):
        PerudoGame({"rules": "common", "options": "single_round:yes"})
    with pytest.raises(PerudoError, match="unknown rules"):
        PerudoGame({"rules": "liars_dice"})
