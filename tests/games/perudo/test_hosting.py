"""The public face of Perudo shows exactly what observations show."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo.games.errors import UnknownNameError
from perudo.games.hosting import Hosting, hosting_of
from perudo.games.operations import SPECTATOR
from perudo.games.perudo import PERUDO
from perudo.games.perudo.rules import PRESETS
from perudo.games.rock_paper_scissors import ROCK_PAPER_SCISSORS as RPS
from perudo.table import SeededDice, Table

PERUDO_HOSTING = hosting_of("perudo")


def random_table(rules: str, players: int, seed: int, moves: int) -> Table:
    rng = np.random.default_rng(seed)
    names = [f"p{seat}" for seat in range(players)]
    table = Table(PERUDO, PERUDO.setting(rules), names, SeededDice(seed))
    for _ in range(moves):
        if table.actor is None:
            break
        legal = table.legal_actions
        table.act(table.actor, legal[int(rng.integers(len(legal)))])
    return table


tables = st.builds(
    random_table,
    st.sampled_from([name for name in PRESETS if PRESETS[name].rules.max_players >= 4]),
    st.integers(2, 4),
    st.integers(0, 10**6),
    st.integers(0, 60),
)


@settings(deadline=None)
@given(table=tables)
def test_every_viewer_sees_of_an_event_what_their_observation_shows(table: Table) -> None:
    for viewer in (SPECTATOR, *range(len(table.players))):
        for event, (seen, _) in zip(table.record.events, table.story(viewer), strict=True):
            assert PERUDO_HOSTING.seen(event, viewer) == seen


@settings(deadline=None)
@given(table=tables)
def test_who_is_asked_sees_itself_as_the_actor(table: Table) -> None:
    asked = PERUDO_HOSTING.asked(table.state)
    assert bool(asked) == (table.actor is not None)
    for seat in asked:
        seen = PERUDO_HOSTING.observe(table.state, seat)
        assert seen.actor == seat
        legal = PERUDO_HOSTING.legal(seen)
        assert PERUDO_HOSTING.default(seen, legal) in legal


@settings(deadline=None)
@given(table=tables, claims=st.lists(st.booleans(), min_size=4, max_size=4))
def test_the_moves_of_a_window_are_legal_one_after_the_other(
    table: Table, claims: list[bool]
) -> None:
    if not PERUDO_HOSTING.is_window(table.state):
        return
    asked = PERUDO_HOSTING.asked(table.state)
    answers = {seat: "calza" if claims[seat] else "decline" for seat in asked}
    if len(asked) > 1:
        assert PERUDO_HOSTING.moves(table.state, {asked[0]: "calza"}) is None
    moves = PERUDO_HOSTING.moves(table.state, answers)
    assert moves is not None
    for seat, action in moves:
        table.act(seat, action)
    assert [action for _, action in moves].count("calza") == min(
        1, sum(map(claims.__getitem__, asked))
    )


@settings(deadline=None)
@given(table=tables)
def test_a_view_is_made_of_the_observation_alone(table: Table) -> None:
    """Other hands may be dealt without a change to what a viewer is sent."""
    seen = table.observe(SPECTATOR)
    assert not any("dice" in name for name in PERUDO_HOSTING.view(seen, None))
    if table.actor is None:
        return
    for viewer in range(len(table.players)):
        record = table.state.record
        PERUDO.operations.redeal(record, viewer, np.array([7], np.uint64))
        other: Any = type(table.state)(record)
        assert PERUDO_HOSTING.view(other.observe(viewer), None) == PERUDO_HOSTING.view(
            table.observe(viewer), None
        )


def test_a_game_that_is_not_hosted_is_refused_by_name() -> None:
    with pytest.raises(UnknownNameError, match="perudo"):
        hosting_of("chess")


def test_the_defaults_host_a_game_of_turns() -> None:
    hosting = Hosting(RPS)
    position = RPS.start(RPS.setting(RPS.presets[0]), 2)
    assert hosting.asked(position) == (position.actor,)
    legal = hosting.legal(hosting.observe(position, 0))
    assert hosting.moves(position, {}) is None
    assert hosting.moves(position, {0: legal[0]}) == ((0, legal[0]),)
    assert not hosting.is_window(position)
