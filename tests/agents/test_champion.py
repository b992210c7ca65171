"""The champion: situations, models, match values, what is shipped, reading opponents, thinking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from perudo.agents import agent_named
from perudo.agents.champion import Champion
from perudo.agents.champion.habits import FAMILIES, MODELS, Habits, assemble, family_of, shipped
from perudo.agents.champion.situation import (
    LEVELS,
    NO_SLOT,
    SHEET,
    SITUATIONS,
    SLOTS,
    action_in,
    situate,
    slot_of,
)
from perudo.agents.champion.standings import SIZE, first_guess, worth_after_loss, worth_to
from perudo.agents.reading import at_least, ways
from perudo.games.chance import below, stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, PRESETS, Rules
from perudo.games.perudo.layout import FIRST_BID_CODE, face_of, quantity_of
from perudo.games.perudo.state import PerudoState
from perudo.lab.contest import Contest
from perudo.lab.match import play
from perudo.search.sealed import SealedFileError
from perudo.testing import check_agent


def positions(preset: str, players: int, count: int) -> list[PerudoState]:
    """Decisions of random rounds with few jumps."""
    stream = stream_of(5, players)
    found: list[PerudoState] = []
    while len(found) < count:
        dice = [1 + int(below(stream, 5)) for _ in range(players)]
        start = PERUDO.start(Rules.preset(preset), players, dice=dice, opener=0)
        state = start.deal(len(found))
        while state.actor is not None:
            assert isinstance(state, PerudoState)
            found.append(state)
            codes = state.legal_actions.codes
            state = state.apply(codes[int(below(stream, min(len(codes), 8)))])
    return found


# --- situations ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "preset, players",
    [
        ("common", 2),
        ("common", 4),
        ("official", 4),
        ("official", 6),
        ("asmodee", 3),
        ("openspiel", 2),
    ],
)
def test_slots_and_actions_belong_together(preset: str, players: int) -> None:
    for state in positions(preset, players, 150):
        seat = state.actor
        assert seat is not None
        sheet = np.zeros(SHEET, np.int64)
        number = situate(state.record, seat, sheet)
        assert 0 <= number < SITUATIONS
        legal = set(state.legal_actions.codes)
        listed = [
            (slot, int(action_in(state.record, sheet, slot, place)))
            for slot in range(SLOTS)
            for place in range(sheet[slot])
        ]
        assert listed
        for slot, code in listed:
            assert code in legal, PERUDO.format_action(code)
            assert slot_of(state.record, sheet, code) == slot
        assert len({code for _, code in listed}) == len(listed)
        for code in legal - {code for _, code in listed}:  # only bids that hardly ever hold
            assert code >= FIRST_BID_CODE
            kinds = ways(state.record, face_of(code))
            assert at_least(state.total_dice, quantity_of(code), kinds) < LEVELS[-1]
            assert slot_of(state.record, sheet, code) == NO_SLOT


def test_a_situation_is_what_the_player_knows() -> None:
    for state in positions("official", 3, 100):
        seat = state.actor
        assert seat is not None
        full, seen = np.zeros((2, SHEET), np.int64)
        assert situate(state.record, seat, full) == situate(state.observe(seat).record, seat, seen)
        assert (full[:SLOTS] == seen[:SLOTS]).all()


# --- standings ----------------------------------------------------------------------------------
def test_somebody_wins_the_match() -> None:
    worth = first_guess()
    for state in positions("common", 5, 40):
        shares = [worth_to(state.record, worth, seat) for seat in range(5)]
        assert sum(shares) == pytest.approx(1.0)
        assert all(0.0 < share < 1.0 for share in shares)


def test_a_loss_leads_to_the_standing_after_it() -> None:
    worth = np.random.default_rng(2).random(SIZE)  # all standings differ
    seen = 0
    for state in positions("common", 4, 200):
        if "dudo" not in str(state.legal_actions):
            continue
        after = state.apply("dudo")
        outcome = after.outcome
        assert outcome is not None
        (loser,) = outcome.losers
        for seat in range(4):
            told = worth_after_loss(state.record, worth, seat, loser)
            assert told == pytest.approx(worth_to(after.record, worth, seat))
            seen += 1
    assert seen > 200


# --- what is shipped ----------------------------------------------------------------------------
def test_every_preset_has_a_family() -> None:
    assert {family_of(Rules.preset(name)) for name in PRESETS} == set(FAMILIES)
    assert family_of(Rules.preset("common")) == "common"
    assert family_of(Rules.preset("uk")) == "official"


def test_the_shipped_habits_tell_where_they_come_from() -> None:
    habits = shipped()
    assert set(habits.families) == set(FAMILIES)
    assert habits.about["command"].startswith("perudo train champion")
    assert habits.about["commit"]
    assert 0.1 < habits.families["common"].worth.mean() / 65535 < 0.3  # most are of six players


def test_a_damaged_file_is_refused() -> None:
    sums = np.zeros((SITUATIONS, SLOTS), np.float32)
    sums[7, 3] = 2.0
    family = assemble(sums, {}, first_guess())
    content = Habits({"common": family}, {"command": "x"}).to_bytes()
    again = Habits.from_bytes(content, "a file")
    assert (again.families["common"].rows == family.rows).all()
    assert again.about == {"command": "x"}
    with pytest.raises(SealedFileError, match="damaged"):
        Habits.from_bytes(content[:-1] + bytes([content[-1] ^ 1]), "a file")
    with pytest.raises(SealedFileError, match="not a file of perudo habits"):
        Habits.from_bytes(b"something else", "a file")
    with pytest.raises(SealedFileError, match="version 2"):
        Habits.from_bytes(content.replace(b'"version": 1', b'"version": 2'), "a file")
    with pytest.raises(SealedFileError, match="another version of the champion"):
        Habits.from_bytes(content.replace(b'"slots": ', b'"slots": 1'), "a file")


# --- reading opponents --------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["observer", "macleod", "boros-bluff"])
def test_it_finds_out_who_is_who(name: str) -> None:
    champion, other = Champion(), agent_named(name)
    memory, others, stream = champion.new_memory(), other.new_memory(), stream_of(1)
    state = PERUDO.start(Rules.preset("common"), 4, opener=0).deal(1)
    for number in range(2, 12):
        while (seat := state.actor) is not None:
            decided = other.decide(state.observe(seat), others, stream)
            state = state.apply(decided.action)
        champion.learn(state.observe(0), memory)
        if state.over:
            break
        state = state.deal(number)
    place = MODELS.index(name)
    assert memory[1:4, place].sum() == max(memory[1:4].sum(axis=0))
    assert (memory[1:4].max(axis=1) == 0.0).all()
    assert not memory[0].any()  # nothing about itself


# --- thinking -----------------------------------------------------------------------------------
def test_it_says_what_it_does_and_why() -> None:
    champion = Champion(rollouts=500)
    state = PERUDO.start(Rules.preset("official"), 4, opener=0).deal(4)
    while (seat := state.actor) is not None:
        decision = champion.decide(state.observe(seat), champion.new_memory(), stream_of(2))
        thoughts = decision.thoughts
        assert thoughts is not None
        assert thoughts.probabilities is not None
        assert sum(thoughts.probabilities.values()) == pytest.approx(1.0)
        assert thoughts.phase in Champion.phases
        state = state.apply(decision.action)


def test_it_can_think_deeper_and_not_adapt() -> None:
    deep = agent_named("champion:deep,adapt=0")
    assert isinstance(deep, Champion)
    assert deep.deep
    assert deep.adapt == 0.0
    assert deep.spec == "champion:deep=yes,adapt=0"
    with pytest.raises(PerudoError, match="adapt"):
        agent_named("champion:adapt")


def test_the_champion_keeps_the_rules_of_agents() -> None:
    check_agent(Champion(rollouts=64), positions=300)


def test_it_beats_three_observers() -> None:
    agents = [Champion(rollouts=1000), *[agent_named("observer")] * 3]
    for preset in FAMILIES:
        contest = Contest(PERUDO, Rules.preset(preset), agents, 100, series=1)
        assert np.asarray(play(contest).wins)[:, 0].mean() > 0.4  # its share would be a quarter


def test_dice_beyond_the_usual() -> None:
    champion = Champion(rollouts=64)
    rules = replace(Rules.preset("common"), dice=8, max_players=10)
    state = PERUDO.start(rules, 8, opener=0).deal(1)
    seat = state.actor
    assert seat is not None
    decision = champion.decide(state.observe(seat), champion.new_memory(), stream_of(1))
    assert state.apply(decision.action).actor is not None
