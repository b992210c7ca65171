"""Reviews: from what could be known, against a model, without luck."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from perudo.agents.agent import Decision
from perudo.agents.champion.champion import Champion
from perudo.agents.champion.knowledge import shipped
from perudo.agents.champion.match_worth import worth_to
from perudo.agents.papers.observer import Observer
from perudo.cli.app import app
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import action_code
from perudo.games.perudo import PERUDO, PerudoState, position
from perudo.record import MatchRecord
from perudo.review import Reviewed, costliest, model_named, review
from perudo.search.online.beliefs import SURPRISE
from perudo.search.online.rollout_values import win_samples
from perudo.transcript import parse_record

BLUNDER = """perudo, common:dice=2: A Ann, B Bob
1. 36/25 A 4x4 B dudo
2. 3/15 A 1x3 B 2x5 A dudo
"""
"""Ann opens with a bid that cannot be true, then doubts one that is."""


def reviewed(text: str = BLUNDER, **wishes: Any) -> list[Reviewed]:
    return list(review(parse_record(text), **{"samples": 200, **wishes}))


@pytest.fixture(scope="module")
def decisions() -> list[Reviewed]:
    text = "perudo, common:dice=2,start_mode=fixed: A Ann, B Bob\n" + ROUNDS
    return list(review(parse_record(text), samples=400, agents=["observer", "probabilistic"]))


ROUNDS = """1. 36/25 A 4x4 B dudo
2. 3/25 A 1x3 B 3x5 A dudo
3. 3/2 B 1x2 A 2x3 B dudo
"""


def test_each_decision_with_what_could_be_known(decisions: list[Reviewed]) -> None:
    assert [each.action for each in decisions] == [
        "4x4", "dudo", "1x3", "3x5", "dudo", "1x2", "2x3", "dudo",
    ]  # fmt: skip
    first, answer = decisions[:2]
    assert first.position == "common:dice=2,start_mode=fixed 36/?? A -"
    assert first.chance == 0  # Ann has no four, and two hidden dice cannot be four
    assert first.truth is False
    assert answer.standing == 0
    assert answer.chance == 1
    assert answer.truth is True
    assert [opinion.agent for opinion in first.opinions] == ["observer", "probabilistic"]
    assert all(opinion.action for each in decisions for opinion in each.opinions)


def test_a_blunder_costs_and_comes_first(decisions: list[Reviewed]) -> None:
    worst = costliest(decisions)
    assert len(worst) == 3
    assert "3x5" in {each.action for each in worst}  # said with two dice of three: not true
    cost = decisions[0].cost
    assert cost is not None
    assert cost.flagged
    assert 0 < cost.low < cost.cost < cost.high
    assert cost.model == "champion"
    assert cost.best in cost.compared
    assert cost.compared[0] == "4x4"
    assert [each.cost.cost for each in worst if each.cost] == sorted(
        (each.cost.cost for each in worst if each.cost), reverse=True
    )


def test_a_certain_call_is_not_flagged(decisions: list[Reviewed]) -> None:
    for each in decisions:
        if each.action == "dudo" and each.chance == 1:
            assert each.cost is not None
            assert not each.cost.flagged


def test_the_cost_does_not_depend_on_dice_that_could_not_be_seen() -> None:
    """Only luck does: with other hidden dice, decision, opinion and cost are the same."""
    first = reviewed(seats=[0])[0]
    other = BLUNDER.replace("36/25 A 4x4", "36/44 A 4x4")
    second = reviewed(other, seats=[0])[0]
    assert first.cost is not None
    assert second.cost is not None
    assert first.opinions == second.opinions
    fields = ("best", "value", "cost", "low", "high", "flagged")
    assert [getattr(first.cost, f) for f in fields] == [getattr(second.cost, f) for f in fields]


def test_the_same_seed_gives_the_same_review() -> None:
    assert reviewed() == reviewed()


def test_playing_on_knows_what_is_certain() -> None:
    """One die each and both shown: the caller of a false bid wins whatever is dealt later."""
    state = position("common:dice=1", ["3", "4"], turn="B", bids=["1x5"])
    codes = [action_code(PERUDO, "dudo"), action_code(PERUDO, "2x2")]
    wins = win_samples(
        PERUDO,
        state.record,
        1,
        codes,
        Observer().prepare(state),
        50,
        np.uint64(1),
        resample=False,
    )
    assert wins[:, 0].all()
    assert wins.shape == (50, 2)


def test_the_champion_knows_what_is_certain() -> None:
    """As the test before; and what B sees decides where A's die is not shown."""
    shown = position("common:dice=1", ["3", "4"], turn="B", bids=["1x5"])
    champion, dudo = Champion().prepare(shown), [action_code(PERUDO, "dudo")]
    memory, key = champion.new_memory(), np.uint64(1)
    assert (champion.worth_samples(shown, 1, dudo, memory, 50, key) == 1.0).all()
    hidden = position("common:dice=1", ["?", "4"], turn="B", bids=["1x5"]).observe(1)
    won = champion.worth_samples(hidden, 1, dudo, memory, 400, key)
    assert 0.0 < won.mean() < 2 / 3  # four faces of six, but A is likelier to bid what A has
    held = position("common:dice=1", ["?", "5"], turn="B", bids=["1x5"]).observe(1)
    assert not champion.worth_samples(held, 1, dudo, memory, 50, key).any()


def test_the_champion_judges_by_the_standing_after_the_round() -> None:
    state = position("common", ["11111", "22222", "333"], turn="C", bids=["9x4"])
    champion = Champion().prepare(state)
    codes = [action_code(PERUDO, each) for each in ("dudo", "10x4")]
    worths = champion.worth_samples(state, 2, codes, champion.new_memory(), 30, np.uint64(4))
    after = state.apply("dudo")
    worth = shipped().families["common"].worth
    assert worths[:, 0] == pytest.approx(worth_to(after.record, worth, 2))
    assert worths[:, 1].mean() < worths[0, 0]  # somebody doubts it, and B or A win a die


def test_redealt_dice_keep_what_the_seat_sees() -> None:
    """B has a five, so 1x5 holds in every deal: dudo always loses."""
    state = position("common:dice=1", ["3", "5"], turn="B", bids=["1x5"])
    assert isinstance(state, PerudoState)
    seen = state.observe(1)
    wins = win_samples(
        PERUDO,
        seen.record,
        1,
        [action_code(PERUDO, "dudo")],
        Observer().prepare(state),
        50,
        np.uint64(2),
        resample=True,
    )
    assert not wins.any()


def test_redealt_dice_are_weighed_by_what_was_said() -> None:
    """A has bid 1x5: dudo is right if A has no five and no one, which the model's bids tell of."""
    model = Observer().prepare(PERUDO.start(PERUDO.setting("common"), 2))
    weights = {}
    for die in "123456":
        opening = position("common:dice=1", [die, "3"], turn="A").observe(0)
        said = model.decide(opening, model.new_memory(), stream_of(1))
        assert isinstance(said, Decision)
        assert said.thoughts is not None
        chance = (said.thoughts.probabilities or {}).get("1x5", 0.0)
        weights[die] = (1 - SURPRISE) * chance + SURPRISE / len(opening.legal_actions)
    expected = sum(weights[die] for die in "2346") / sum(weights.values())
    assert expected < 0.4  # without regard to the bid it would be two thirds
    seen = position("common:dice=1", ["?", "3"], turn="B", bids=["1x5"]).observe(1)
    dudo = [action_code(PERUDO, "dudo")]
    wins = win_samples(PERUDO, seen.record, 1, dudo, model, 4000, np.uint64(3), resample=True)
    assert abs(wins.mean() - expected) < 4 * math.sqrt(expected * (1 - expected) / 4000)


def test_only_finished_games_are_reviewed() -> None:
    record = parse_record(BLUNDER)
    record.events = record.events[:3]
    with pytest.raises(PerudoError, match="only finished games"):
        next(review(record))


@pytest.mark.parametrize(
    "wish, reason",
    [
        ({"seats": [5]}, "there is no seat 5"),
        ({"samples": 3}, "at least 20"),
        ({"model": "human"}, "cannot judge moves"),
        ({"agents": ["nobody"]}, "unknown agent"),
    ],
)
def test_what_cannot_be_reviewed_is_said(wish: dict[str, Any], reason: str) -> None:
    with pytest.raises(PerudoError, match=reason):
        list(review(parse_record(BLUNDER), **wish))


def test_models_are_compiled_players_of_perudo() -> None:
    assert model_named("observer").spec == "observer"


def test_the_command_tells_what_cost_most_then_every_decision(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(BLUNDER)
    shown = CliRunner().invoke(app, ["review", str(path), "--samples", "60"])
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == "Costliest decisions"
    worst = costliest(reviewed(samples=60))
    for line, each in zip(lines[1:], worst, strict=False):
        assert each.cost is not None
        assert line.startswith(f"  round {each.round}, {each.player}: {each.action} cost ")
        assert line.endswith(f"better: {each.cost.best}")
    assert "Round 1   A 36   B 25" in lines
    decisions = [line.split() for line in lines if line.startswith(("  A Ann", "  B Bob"))]
    assert [line[2] for line in decisions] == ["4x4", "dudo", "1x3", "2x5", "dudo"]
    assert decisions[0][3:5] == ["true", "0%:"]  # Ann has no four
    assert all("luck" in line for line in decisions)
    thoughts = [line for line in lines if line.startswith("      champion: ")]
    assert len(thoughts) == len(decisions)
    assert any("considers" in line for line in thoughts)


def test_the_command_prints_a_table_or_lines_of_json(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    path.write_text(BLUNDER)
    run = CliRunner()
    shown = run.invoke(app, ["review", str(path), "--player", "Ann", "--samples", "60"])
    assert shown.exit_code == 0
    assert "the champion's judgement" in " ".join(shown.stdout.split())
    other = ["--model", "observer", "--samples", "60"]
    shown = run.invoke(app, ["review", str(path), "--player", "Ann", *other])
    assert "if observer played on" in " ".join(shown.stdout.split())
    told = run.invoke(app, ["review", str(path), "--player", "A", "--samples", "0", "--json"])
    lines = [json.loads(line) for line in told.stdout.splitlines()]
    assert [line["action"] for line in lines] == ["4x4", "1x3", "dudo"]
    assert all(line["cost"] is None for line in lines)
    record = MatchRecord.parse(list(parse_record(BLUNDER).lines()))
    assert len(lines) == sum(e["event"] == "act" and e["seat"] == 0 for e in record.events)
