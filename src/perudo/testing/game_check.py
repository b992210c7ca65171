"""A check that a game keeps the contract of ``perudo.games.game``."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.chance import below, key_of, stream_of
from perudo.games.game import Game, State
from perudo.games.kernel import kernel
from perudo.games.operations import (
    CHANCE,
    EVERYTHING,
    MATCH,
    OVER,
    ROUND,
    SPECTATOR,
    Record,
    refusal,
)
from perudo.testing.contract import ContractError

MAX_ACTIONS_IN_A_MATCH = 100_000


@kernel
def count_accepted(state: Record, codes: int, accepted: npt.NDArray[np.bool_]) -> int:
    """Fill in which action codes are legal; return their number."""
    count = 0
    for code in range(codes):
        accepted[code] = refusal(state, code) == 0
        count += accepted[code]
    return count


class GameReport:
    """The amount of play that ``check_game`` has checked."""

    def __init__(self) -> None:
        self.matches = 0
        self.decisions = 0
        self.rounds = 0


def check_game(game: Game, *, matches: int = 30, seed: int = 1, codes: int = 700) -> GameReport:
    """Play a game at random, under every preset and number of players, and check every state.

    The check covers declared properties; legal actions (their count, their numbering, and refusals
    of all other ``codes``); actions as text; observations that do not leak; redeals that keep a
    seat's knowledge; payoffs; copies; and that the same key and actions give the same bytes again.
    """
    report = GameReport()
    for number in range(matches):
        preset = game.presets[number % len(game.presets)]
        setting = game.setting(preset)
        _require(
            game.describe_setting(game.setting(game.describe_setting(setting)))
            == game.describe_setting(setting),
            game,
            f"setting {preset!r} cannot be written and read back",
        )
        players = _players(game, setting, number)
        _check_match(game, game.start(setting, players), seed + number, codes, report)
        report.matches += 1
    return report


def _require(condition: bool, game: Game, problem: str, record: Record | None = None) -> None:
    if not condition:
        where = "" if record is None else f"\n{game.describe(record)}"
        raise ContractError(f"{game.name}: {problem}{where}")


def _players(game: Game, setting: Any, number: int) -> int:
    """Choose a number of players that the setting allows."""
    properties = game.properties
    span = properties.max_players - properties.min_players + 1
    for shift in range(span):
        players = properties.min_players + (number + shift) % span
        try:
            game.start(setting, players)
        except ValueError:
            continue
        return players
    raise ContractError(f"{game.name}: no number of players can play {setting}")


def _check_match(game: Game, start: State, seed: int, codes: int, report: GameReport) -> None:
    operations, key, stream = game.operations, key_of(seed), stream_of(seed, 1)
    record, again = start.record, start.record
    _require(int(record.viewer) == EVERYTHING, game, "a start state is seen by everybody", record)
    for _ in range(MAX_ACTIONS_IN_A_MATCH):
        actor = int(operations.actor(record))
        if operations.round_over(record):
            _check_payoffs(game, record, ROUND)
            report.rounds += 1
        if actor == OVER:
            _check_payoffs(game, record, MATCH)
            return
        if actor == CHANCE:
            _require(game.properties.chance, game, "it declares no chance, yet deals", record)
            _check_chance(game, record, key)
            operations.deal(record, key)
            operations.deal(again, key)
        else:
            _require(0 <= actor < int(record.players), game, f"actor {actor} is no seat", record)
            chosen = _check_decision(game, record, codes, int(below(stream, 1 << 30)))
            _check_knowledge(game, record, actor)
            operations.apply(record, chosen)
            operations.apply(again, chosen)
            report.decisions += 1
        _require(
            record.tobytes() == again.tobytes(), game, "the same play gave other bytes", record
        )
    raise ContractError(f"{game.name}: no end after {MAX_ACTIONS_IN_A_MATCH} actions")


def _check_decision(game: Game, record: Record, codes: int, draw: int) -> int:
    operations = game.operations
    before = record.tobytes()
    count = int(operations.action_count(record))
    legal = [int(operations.action(record, index)) for index in range(count)]
    _require(count > 0, game, "a seat is to act but has no legal action", record)
    _require(count <= game.properties.max_actions, game, f"{count} actions, more than declared")
    _require(len(set(legal)) == count, game, "an action is listed twice", record)
    taken = np.zeros(codes, np.bool_)
    count_accepted(record, codes, taken)
    accepted = {int(code) for code in np.flatnonzero(taken)}
    _require(
        accepted == {code for code in legal if code < codes},
        game,
        f"listed and accepted actions differ: {sorted(accepted ^ set(legal))}",
        record,
    )
    for code in legal:
        text = game.format_action(code)
        _require(game.parse_action(text) == code, game, f"{text!r} reads as another action")
    refused = next((code for code in range(codes) if code not in accepted), None)
    if refused is not None:
        number = int(operations.refusal(record, refused))
        _require(0 < number < len(game.refusals), game, f"refusal {number} has no name", record)
    _require(record.tobytes() == before, game, "asking for actions changed the state", record)
    return legal[draw % count]


def _view(game: Game, record: Record, viewer: int) -> bytes:
    seen = record.copy()
    game.operations.observe(seen, viewer)
    return bytes(seen.tobytes())


def _check_knowledge(game: Game, record: Record, actor: int) -> None:
    """Check that observations, redeals and information keys neither leak nor forget.

    A redeal keeps all that a seat sees, so anything that differs afterwards is hidden from it.
    """
    operations = game.operations
    viewers = (*range(int(record.players)), SPECTATOR)
    views = {viewer: _view(game, record, viewer) for viewer in viewers}
    for viewer, seen in views.items():
        observed = np.frombuffer(seen, game.dtype)[0].copy()
        _require(int(observed.viewer) == viewer, game, "an observation says who looks", record)
        twice = observed.copy()
        operations.observe(twice, viewer)
        _require(twice.tobytes() == seen, game, "observing twice changes something", record)
    own = np.frombuffer(views[actor], game.dtype)[0].copy()
    _require(
        _actions(game, own) == _actions(game, record),
        game,
        "the actor's observation offers other actions than the state",
        record,
    )
    for seat in range(int(record.players)):
        key = int(operations.information_key(record, seat))
        other = record.copy()
        operations.redeal(other, seat, stream_of(seat))
        _require(
            all(_view(game, other, viewer) == views[viewer] for viewer in (seat, SPECTATOR)),
            game,
            f"a redeal for seat {seat} changes what it, or everybody, sees: a leak, or a redeal "
            "that forgets what the seat knows",
            record,
        )
        _require(
            int(operations.information_key(other, seat)) == key,
            game,
            f"the information key of seat {seat} depends on what it cannot see",
            record,
        )
        _require(
            int(operations.information_key(np.frombuffer(views[seat], game.dtype)[0].copy(), seat))
            == key,
            game,
            f"the information key of seat {seat} needs more than its observation",
            record,
        )


def _actions(game: Game, record: Record) -> list[int]:
    count = int(game.operations.action_count(record))
    return [int(game.operations.action(record, index)) for index in range(count)]


def _check_chance(game: Game, record: Record, key: np.uint64) -> None:
    operations = game.operations
    count = int(operations.chance_count(record))
    for index in (0, count - 1) if count else ():  # 0: too many to number
        dealt = record.copy()
        operations.chance_outcome(dealt, index)
        _require(int(operations.actor(dealt)) != CHANCE, game, "an outcome deals nothing", record)
    dealt, replayed = record.copy(), record.copy()
    operations.deal(dealt, key)
    game.replay_deal(replayed, game.format_deal(dealt))
    _require(
        dealt.tobytes() == replayed.tobytes(),
        game,
        "a deal cannot be replayed from its log",
        record,
    )


def _check_payoffs(game: Game, record: Record, horizon: int) -> None:
    payoffs = [
        float(game.operations.payoff(record, horizon, seat)) for seat in range(int(record.players))
    ]
    _require(all(np.isfinite(payoffs)), game, f"payoffs {payoffs} are not numbers", record)
    if game.properties.zero_sum:
        _require(abs(sum(payoffs)) < 1e-9, game, f"payoffs {payoffs} do not sum to zero", record)
