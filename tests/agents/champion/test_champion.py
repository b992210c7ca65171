"""The champion: decisions, models, match values, what is shipped, reading opponents, thinking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from perudo.agents import agent_named
from perudo.agents.champion.champion import Champion
from perudo.agents.champion.features import MIN_CHANCE
from perudo.agents.champion.knowledge import FAMILIES, Family, Habits, family_of, shipped
from perudo.agents.champion.match_worth import SIZE, worth_after_loss, worth_to
from perudo.agents.champion.player_models import (
    BY_NETWORK,
    HIDDEN_UNITS,
    MODEL_COUNT,
    MODELS,
    NOT_LISTED,
    POLICY_MODELS,
    POLICY_ROWS,
    WEIGHT_COUNT,
    PlayerModels,
    judge_as,
    network_of,
    new_room,
    place_of,
    policy_rows,
    weigh_saying,
    work_out,
)
from perudo.agents.champion.search import PREMIUM, Aim, set_premiums
from perudo.agents.table_facts import at_least, ways
from perudo.games.chance import below, stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, PRESETS, Rules
from perudo.games.perudo.layout import FIRST_BID_CODE, face_of, quantity_of
from perudo.games.perudo.reveal import matching
from perudo.games.perudo.state import PerudoState
from perudo.games.policy import new_thoughts
from perudo.lab.contest import Contest
from perudo.lab.play import play
from perudo.search.files.sealed import SealedFileError
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


# --- decisions ----------------------------------------------------------------------------------
WEIGHTS_OF_ANY = np.random.default_rng(1).normal(0.0, 0.3, WEIGHT_COUNT).astype(np.float32)


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
def test_all_moves_are_told_of_but_bids_that_hardly_ever_hold(preset: str, players: int) -> None:
    network, room = network_of(WEIGHTS_OF_ANY), new_room()
    for state in positions(preset, players, 150):
        seat = state.actor
        assert seat is not None
        count = work_out(state.record, seat, network, room)
        told, legal = [int(code) for code in room[1][:count]], set(state.legal_actions.codes)
        assert told
        assert len(set(told)) == count
        assert set(told) <= legal
        hand, wild = state.record.hands[seat], int(state.record.wild_face)
        unseen = state.total_dice - int(state.record.counts[seat])
        for code in legal - set(told):
            assert code >= FIRST_BID_CODE
            needed = quantity_of(code) - matching(hand, face_of(code), wild)
            assert at_least(unseen, needed, ways(state.record, face_of(code))) < MIN_CHANCE
            assert place_of(code, count, room) == NOT_LISTED


def test_a_decision_is_what_the_player_knows() -> None:
    network, full, seen = network_of(WEIGHTS_OF_ANY), new_room(), new_room()
    for state in positions("official", 3, 100):
        seat = state.actor
        assert seat is not None
        count = work_out(state.record, seat, network, full)
        assert count == work_out(state.observe(seat).record, seat, network, seen)
        assert (full[1][:count] == seen[1][:count]).all()
        assert (full[3][:count] == seen[3][:count]).all()


def likely_to_say(
    state: PerudoState, seat: int, said: int, wanted: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return the probability of an action under each of the wanted models."""
    likely, network = np.zeros(MODEL_COUNT), network_of(WEIGHTS_OF_ANY)
    models = PlayerModels(network, policy_rows(), new_room(), new_thoughts())
    weigh_saying(models, wanted, state.record, seat, said, stream_of(1), likely)
    return likely


def test_the_network_is_the_one_that_is_described() -> None:
    network, room = network_of(WEIGHTS_OF_ANY), new_room()
    of_position, of_move, of_units = network
    for state in positions("official", 4, 40):
        seat = state.actor
        assert seat is not None
        count = work_out(state.record, seat, network, room)
        position, codes, moves = (part.copy() for part in room[:3])
        units = np.maximum(position @ of_position + moves[:count] @ of_move, 0.0)
        assert units.shape == (count, HIDDEN_UNITS)
        scores = np.exp(units @ of_units.T)
        chances = scores / scores.sum(axis=0)
        for model in range(MODEL_COUNT):
            judge_as(network, model, count, room)
            assert room[4][:count] == pytest.approx(chances[:, model], rel=1e-3)
        said, wanted = int(codes[0]), np.array([float(model % 2) for model in range(MODEL_COUNT)])
        likely = likely_to_say(state, seat, said, wanted)
        anything, watched = 0.06 / count, (POLICY_ROWS == BY_NETWORK) & (wanted > 0.0)
        assert likely[watched] == pytest.approx(anything + 0.94 * chances[0, watched], rel=1e-3)
        assert likely[wanted == 0.0] == pytest.approx(anything)


@pytest.mark.parametrize("name", [player.name for player in POLICY_MODELS])
def test_who_can_be_asked_is_known_exactly(name: str) -> None:
    """And looks at nothing but the own hand, though the state has them all."""
    model, room = MODELS.index(name), new_room()
    wanted = np.eye(MODEL_COUNT)[model]
    for state in positions("official", 4, 60):
        seat = state.actor
        assert seat is not None
        agent = agent_named(name)
        thoughts = agent.decide(state.observe(seat), agent.new_memory(), stream_of(2)).thoughts
        assert thoughts.probabilities is not None
        before = state.record.copy()
        count = work_out(state.record, seat, network_of(WEIGHTS_OF_ANY), room)
        for said, chance in thoughts.probabilities.items():
            likely = likely_to_say(state, seat, PERUDO.parse_action(said), wanted)
            assert likely[model] == pytest.approx(0.06 / count + 0.94 * chance)
        assert state.record == before


# --- whose dice are wanted ----------------------------------------------------------------------
def test_dice_of_weaker_players_are_wanted_whatever_they_have_left() -> None:
    worth = shipped().families["common"].worth
    start = PERUDO.start(Rules.preset("common"), 4, dice=[3, 1, 5, 3], opener=0)
    after = [worth_after_loss(start.record, worth, 0, seat) for seat in range(4)]
    assert after[2] > after[3] > after[1]  # by the standings, it is best to hit the leader
    weights, premiums = np.ones((4, MODEL_COUNT)), np.zeros(4)
    aim = Aim(worth, True, premiums)
    set_premiums(start.record, 0, weights, 0.1, aim)
    assert not premiums.any()  # nothing is known of anybody
    weights[1] = np.eye(MODEL_COUNT)[MODELS.index("observer")]
    weights[2] = np.eye(MODEL_COUNT)[MODELS.index("pomcp-pgt-ucb")]
    set_premiums(start.record, 0, weights, 0.1, aim)
    assert not premiums[[0, 2, 3]].any()
    assert after[1] + premiums[1] == pytest.approx(np.mean(after[1:]) + PREMIUM * 0.1)


# --- standings ----------------------------------------------------------------------------------
def test_somebody_wins_the_match() -> None:
    worth = shipped().families["common"].worth
    for state in positions("common", 5, 40):
        shares = [worth_to(state.record, worth, seat) for seat in range(5)]
        assert sum(shares) == pytest.approx(1.0, abs=1e-4)
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
    assert 0.1 < habits.families["common"].worth.mean() < 0.3  # most are of six players


def test_a_damaged_file_is_refused() -> None:
    chance = np.random.default_rng(3)
    family = Family(WEIGHTS_OF_ANY, chance.random(SIZE))
    content = Habits({"common": family}, {"command": "x"}).to_bytes()
    again = Habits.from_bytes(content, "a file")
    assert (again.families["common"].weights == family.weights).all()
    assert again.families["common"].worth == pytest.approx(family.worth, abs=1e-5)
    assert again.about == {"command": "x"}
    with pytest.raises(SealedFileError, match="damaged"):
        Habits.from_bytes(content[:-1] + bytes([content[-1] ^ 1]), "a file")
    with pytest.raises(SealedFileError, match="not a perudo habits file"):
        Habits.from_bytes(b"something else", "a file")
    with pytest.raises(SealedFileError, match="version 3"):
        Habits.from_bytes(content.replace(b'"version": 2', b'"version": 3'), "a file")
    with pytest.raises(SealedFileError, match="another version of the champion"):
        Habits.from_bytes(content.replace(b'"hidden": ', b'"hidden": 1'), "a file")


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


def test_a_searcher_takes_it_for_one_who_answers_at_once() -> None:
    """The book alone between two, where there is one; elsewhere the shortest thinking."""
    champion = Champion(deep=True, adapt=0.0)
    for rules, dice, spec in (
        ("common", [5, 5], "champion:deep=yes,adapt=0,book=yes"),
        ("asmodee", [5, 5], "champion:rollouts=32,adapt=0"),
        ("common", [5, 5, 5], "champion:rollouts=32,adapt=0"),
    ):
        start = PERUDO.start(Rules.parse(rules), len(dice), dice, opener=0)
        assert champion.as_model(start).spec == spec
