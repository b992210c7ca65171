"""Learners see the documented columns, no more than a seat may know, and exact masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from perudo.games.chance import key_of, stream_of
from perudo.games.errors import InvalidActionError
from perudo.games.perudo import PERUDO, Bid, PerudoState, Rules
from perudo.lab.adapters.batched import BatchedPerudo, random_actions
from perudo.lab.adapters.observation import (
    RECENT_BIDS,
    SEAT_WIDTH,
    ActionNumbers,
    Layout,
    new_rows,
    write_mask,
    write_observation,
)

TABLES = [
    ("official", 2),
    ("official", 6),
    ("official:palafico=declared,pass_on_opening=yes,consecutive_pass=yes", 3),
    ("common", 4),
    ("common_aces:dice=2", 3),
    ("asmodee", 3),
    ("wikipedia:cap_bids_at_total=no", 3),
    ("dudo_ai", 2),
]


def positions(rules: str, players: int, count: int = 40) -> list[PerudoState]:
    """Full states at decisions of random games, each from another game and further into it."""
    env = BatchedPerudo(count, rules, players, seed=3)
    stream = stream_of(5)
    step = env.reset()
    found = []
    for lane in range(count):
        for _ in range(3):
            step = env.step(random_actions(step.masks, stream))
        found.append(PerudoState(env._lanes.states[lane]))
    return found


def expected(state: PerudoState, viewer: int) -> dict[str, int]:
    """The columns again, from what people are shown of the position."""
    seen = state.observe(viewer)
    hand = seen.hand(viewer) or ""
    columns = {f"own_{face}s": hand.count(str(face)) for face in range(1, 7)}
    columns.update(
        total_dice=seen.total_dice,
        bid_quantity=seen.bid.quantity if seen.bid else 0,
        bid_face=seen.bid.face if seen.bid else 0,
        wild_face=seen.wild_face or 0,
        actions=len(seen.history),
    )
    passer = int(state.record.passer)
    for place in range(state.players):
        seat = (viewer + place) % state.players
        bids = [said for who, said in seen.history if who == seat and isinstance(said, Bid)]
        recent = (bids[::-1] + [None] * RECENT_BIDS)[:RECENT_BIDS]
        own: dict[str, Any] = {
            "dice": seen.dice_counts[seat],
            "to_act": seen.actor == seat,
            "turn": seen.turn == seat,
            "bidder": seen.bidder == seat,
            "passer": passer == seat,
            "palafico": seen.palafico == seat,
            "been_palafico": seat in seen.been_palafico,
            "passed": any(who == seat and str(said) == "pass" for who, said in seen.history),
        }
        for ago, bid in enumerate(recent, start=1):
            own[f"quantity_{ago}"] = bid.quantity if bid else 0
            own[f"face_{ago}"] = bid.face if bid else 0
        columns.update({f"seat{place}_{name}": int(value) for name, value in own.items()})
    return columns


@pytest.mark.parametrize("rules, players", TABLES)
def test_rows_and_masks_are_what_the_position_says(rules: str, players: int) -> None:
    numbers, layout = ActionNumbers(Rules.parse(rules), players), Layout(players)
    for state in positions(rules, players):
        for viewer in range(players):
            row = new_rows(layout.width)
            write_observation(state.record, viewer, row)
            assert dict(zip(layout.names, row.tolist(), strict=True)) == expected(state, viewer)
        mask = new_rows(len(numbers))
        write_mask(state.record, numbers.by_code, mask)
        legal = {numbers.action(int(number)) for number in np.flatnonzero(mask)}
        assert legal == set(state.legal_actions)
        assert mask.sum() == len(state.legal_actions)


def test_the_positions_above_fill_every_column() -> None:
    used = np.zeros(SEAT_WIDTH, np.bool_)
    for rules, players in TABLES:
        layout = Layout(players)
        for state in positions(rules, players):
            row = new_rows(layout.width)
            write_observation(state.record, 0, row)
            used |= layout.seat_part(row).any(axis=0)
    assert used.all()


@pytest.mark.parametrize("rules, players", TABLES[:4])
def test_rows_do_not_show_hidden_dice(rules: str, players: int) -> None:
    """A row is made of the seat's own observation, and does not change with the others' dice."""
    layout, stream, changed = Layout(players), stream_of(1), 0
    for state in positions(rules, players):
        for viewer in range(players):
            other = state.record
            PERUDO.operations.redeal(other, viewer, stream)
            changed += other.tobytes() != state.record.tobytes()
            rows = new_rows(3, layout.width)
            for row, record in zip(
                rows, (state.record, state.observe(viewer).record, other), strict=True
            ):
                write_observation(record, viewer, row)
            assert (rows == rows[0]).all()
    assert changed > 60


def test_a_finished_match_can_be_looked_at() -> None:
    state = PERUDO.start(Rules.parse("openspiel:dice=1"), 2).deal(int(key_of(1)))
    state = state.apply("2x6").apply("dudo")
    row, mask = new_rows(Layout(2).width), new_rows(13)
    write_observation(state.record, 0, row)
    write_mask(state.record, ActionNumbers(state.rules, 2).by_code, mask)
    assert not mask.any()
    seats = Layout(2).seat_part(row)
    assert seats[:, 1:3].sum() == 0  # nobody is to act


@pytest.mark.parametrize(
    "rules, players, actions, last",
    [
        ("openspiel:dice=1", 2, 13, "dudo"),
        ("common", 4, 101, "dudo"),
        ("official", 6, 185, "decline"),
        ("dudo_ai", 2, 61, "dudo"),
        ("official:palafico=declared,calza_who=turn_only", 2, 65, "palafico"),
        ("common:cap_bids_at_total=no", 2, 401, "dudo"),
    ],
)
def test_actions_are_numbered_without_gaps(
    rules: str, players: int, actions: int, last: str
) -> None:
    numbers = ActionNumbers(Rules.parse(rules), players)
    assert len(numbers) == actions
    assert str(numbers.action(actions - 1)) == last
    assert [numbers.number(numbers.action(number)) for number in range(actions)] == list(
        range(actions)
    )


def test_bids_come_by_quantity_and_face() -> None:
    numbers = ActionNumbers(Rules.parse("common"), 2)
    assert [str(numbers.action(number)) for number in (0, 4, 5, 50)] == [
        "1x2",
        "1x6",
        "2x2",
        "dudo",
    ]


@pytest.mark.parametrize(
    "wrong, reason",
    [
        ("3x1", "never legal at this table"),
        ("calza", "never legal at this table"),
        ("11x2", "never legal at this table"),
        ("three fives", "is not an action"),
    ],
)
def test_other_actions_have_no_number(wrong: str, reason: str) -> None:
    with pytest.raises(InvalidActionError, match=reason):
        ActionNumbers(Rules.parse("common"), 2).number(wrong)


def test_other_numbers_are_no_actions() -> None:
    with pytest.raises(InvalidActionError, match="numbered 0 to 50"):
        ActionNumbers(Rules.parse("common"), 2).action(51)


def test_the_parts_of_a_row() -> None:
    layout = Layout(3)
    rows = np.arange(2 * layout.width, dtype=np.int8).reshape(2, -1)
    assert layout.round_part(rows).shape == (2, 11)
    assert layout.seat_part(rows).shape == (2, 3, 14)
    assert layout.seat_part(rows)[1, 2, 0] == rows[1, layout.column("seat2_dice")]
