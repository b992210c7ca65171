"""``check_game`` passes good games and finds what is wrong with bad ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from perudo.games import games
from perudo.games.game import Game
from perudo.games.operations import Record
from perudo.games.perudo import PERUDO, PerudoGame
from perudo.games.perudo.layout import DUDO
from perudo.testing import ContractError, check_game


@pytest.mark.parametrize("name", list(games()))
def test_every_game_keeps_the_contract(name: str) -> None:
    report = check_game(games()[name], matches=24)
    assert report.matches == 24
    assert report.decisions > 24


def broken(operation: str, make: Callable[[Any], Any]) -> Game:
    """Perudo with one operation spoiled; it is not registered, only checked."""
    sound = getattr(PERUDO.operations, operation)
    game = PerudoGame()
    game.operations = replace(PERUDO.operations, **{operation: make(sound)})  # type: ignore[misc]  # spoiled
    return game


def leaky(sound: Callable[[Record, int], None]) -> Callable[[Record, int], None]:
    def observe(state: Record, seat: int) -> None:
        state.viewer = seat  # and blanks nothing

    return observe


def forgetful(sound: Callable[..., None]) -> Callable[..., None]:
    def redeal(state: Record, seat: int, stream: Any) -> None:
        sound(state, (seat + 1) % int(state.players), stream)  # rolls the seat's own dice again

    return redeal


def greedy(sound: Callable[[Record], int]) -> Callable[[Record], int]:
    return lambda state: sound(state) - 1 if sound(state) > 1 else 1  # hides the last action


def repetitive(sound: Callable[[Record, int], int]) -> Callable[[Record, int], int]:
    return lambda state, index: sound(state, 0)


def whimsical(sound: Callable[[Record, int], None]) -> Callable[[Record, int], None]:
    calls = iter(range(10**9))

    def apply(state: Record, action: int) -> None:
        sound(state, action)
        state.plain_bid += next(calls) % 2  # differs from call to call

    return apply


def peeking(sound: Callable[[Record, int], Any]) -> Callable[[Record, int], Any]:
    return lambda state, seat: (
        int(state.hands[: int(state.players)].sum()) + int(sound(state, seat)) * 0
    )


def generous(sound: Callable[[Record, int, int], float]) -> Callable[[Record, int, int], float]:
    return lambda state, horizon, seat: 1.0


def unlucky(sound: Callable[..., None]) -> Callable[..., None]:
    calls = iter(range(10**9))
    return lambda state, key: sound(state, key + type(key)(next(calls)))


@pytest.mark.parametrize(
    "operation, make, problem",
    [
        ("observe", leaky, "redeal"),
        ("redeal", forgetful, "redeal"),
        ("action_count", greedy, "differ"),
        ("action", repetitive, "twice"),
        ("apply", whimsical, "other bytes"),
        ("information_key", peeking, "information key"),
        ("payoff", generous, "sum to zero"),
        ("deal", unlucky, "other bytes"),
    ],
)
def test_a_broken_game_is_found_out(
    operation: str, make: Callable[[Any], Any], problem: str
) -> None:
    with pytest.raises(ContractError, match=problem):
        check_game(broken(operation, make), matches=12)


def test_a_declaration_that_is_not_kept_is_found_out() -> None:
    game = PerudoGame()
    game.properties = replace(PERUDO.properties, max_actions=10)  # type: ignore[misc]  # spoiled
    with pytest.raises(ContractError, match="more than declared"):
        check_game(game, matches=2)
    game.properties = replace(PERUDO.properties, chance=False)  # type: ignore[misc]  # spoiled
    with pytest.raises(ContractError, match="declares no chance"):
        check_game(game, matches=2)


def test_an_action_that_reads_as_another_is_found_out() -> None:
    class Illiterate(PerudoGame):
        def parse_action(self, text: str) -> int:
            return DUDO

    with pytest.raises(ContractError, match="reads as another action"):
        check_game(Illiterate(), matches=1)
