"""The Observer's four phases, worked by hand (Perudo thesis, section 4.2.2).

Two players with five dice each: T = 10 and u = 5 unless said otherwise. Chances of k or more wild
or matching dice (p = 1/3): of ten dice .9827, .8960, .7009, .4407, .2131 for k = 1 to 5; of five
dice .8683, .5391, .2099 for k = 1 to 3.
"""

from __future__ import annotations

import math

import pytest

import perudo
from perudo.agents.agent import Decision, Thoughts
from perudo.agents.papers.observer import (
    Observer,
    highest_likely,
    mentions_of_faces,
    times_mentioned,
)
from perudo.games.chance import below, stream_of
from perudo.games.perudo import PERUDO, PRESETS
from perudo.games.perudo.rules import Rules

OF_FIVE = {1: 211 / 243, 2: 131 / 243, 3: 51 / 243, 4: 11 / 243}
"""Probability of at least this many of five dice, p = 1/3."""


def decide(text: str, agent: Observer | None = None, seed: int = 1) -> Decision:
    agent = agent or Observer()
    return agent.decide(perudo.position(text), agent.new_memory(), stream_of(seed))


def thoughts(text: str, agent: Observer | None = None) -> Thoughts:
    found = decide(text, agent).thoughts
    assert found is not None
    return found


def likely(found: Thoughts) -> dict[str, float]:
    """Return the probabilities above zero."""
    assert found.probabilities is not None
    return {action: chance for action, chance in found.probabilities.items() if chance > 0}


def test_opens_half_of_the_time_on_any_face() -> None:
    """Two dice are .896 >= .80 likely, three .701: q = 2. Own mode is 2, which gets 1/2 + 1/10."""
    found = thoughts("common 22346/????? A -")
    assert found.phase == "risk-free"
    assert likely(found) == pytest.approx(
        {"2x2": 0.6, "2x3": 0.1, "2x4": 0.1, "2x5": 0.1, "2x6": 0.1}
    )
    assert found.values["2x2"] == 1.0
    assert found.values["2x5"] == pytest.approx(OF_FIVE[2])


def test_opening_ties_share_and_draws_follow_the_mixture() -> None:
    """Modes 2 and 3: 1/10 + 1/4 each; 2000 draws come within four standard deviations."""
    agent, position = Observer(), perudo.position("common 22334/????? A -")
    memory, stream = agent.new_memory(), stream_of(5)
    drawn: dict[str, int] = {}
    stated: dict[str, float] | None = None
    for _ in range(2000):
        decision = agent.decide(position, memory, stream)
        drawn[str(decision.action)] = drawn.get(str(decision.action), 0) + 1
        stated = decision.thoughts.probabilities if decision.thoughts else None
    assert stated == pytest.approx({"2x2": 0.35, "2x3": 0.35, "2x4": 0.1, "2x5": 0.1, "2x6": 0.1})
    for action, chance in (stated or {}).items():
        assert abs(drawn[action] - 2000 * chance) < 4 * math.sqrt(2000 * chance * (1 - chance))


def test_openspiel_opens_on_faces_that_are_not_wild() -> None:
    """Sixes are wild there, ones are a face like others."""
    found = thoughts("openspiel 11346/????? A -")
    assert set(likely(found)) == {"2x1", "2x2", "2x3", "2x4", "2x5"}
    assert likely(found)["2x1"] == pytest.approx(0.6)


def test_risk_free_jumps() -> None:
    """T = 12: 1x3 is 1 - (2/3)^12 = .992 likely. Two dice are .946 >= .90, three .819.

    Raises: 2x2 is certain (score 1); 1x4, 1x5, 1x6 (.983) become 2x4, 2x5, 2x6; 2x3 scores
    .896 + .05. A quarter is shared by all five, the rest goes to 2x2.
    """
    found = thoughts("common 22/??/??/??/??/?? A 1x3")
    assert found.phase == "risk-free"
    expected = {"2x2": 0.8, "2x3": 0.05, "2x4": 0.05, "2x5": 0.05, "2x6": 0.05}
    assert likely(found) == pytest.approx(expected)


def test_a_jump_keeps_to_the_rules() -> None:
    """asmodee: a raise to another face must keep the quantity, so only 1x3 may jump, to 2x3."""
    found = thoughts("asmodee 22/??/??/??/??/?? A 1x3")
    assert "2x3" in likely(found)
    assert "1x4" in likely(found)
    assert "2x4" not in likely(found)


def test_safe_raises_to_the_lowest_bids() -> None:
    """3x3 is .701 likely. 3x4, 3x6 and 4x2 need two of five dice (.539) and share 3/4 and 3/20."""
    found = thoughts("common 22346/????? A 3x3")
    assert found.phase == "safe"
    expected = {"3x4": 0.3, "3x6": 0.3, "4x2": 0.3, "3x5": 0.05, "4x3": 0.05}
    assert likely(found) == pytest.approx(expected)
    assert found.values["4x3"] == pytest.approx(OF_FIVE[3] + 0.05)


def test_danger_calls_what_it_does_not_believe() -> None:
    """4x3 is .441 likely; without threes bel = 11/243, and no raise reaches 1 - bel = .955."""
    found = thoughts("common 22246/????? A 4x3")
    assert found.phase == "danger"
    assert likely(found) == {"dudo": 1.0}
    assert found.chance == pytest.approx(OF_FIVE[4])
    assert found.values["5x2"] == pytest.approx(OF_FIVE[2])


def test_danger_raises_what_it_believes() -> None:
    """With three threes bel = .868; 5x3 scores .539 + .05 >= 1 - bel = .132, the best raise."""
    decision = decide("common 33345/????? A 4x3")
    assert decision.action == perudo.Bid(5, 3)
    assert decision.thoughts is not None
    assert likely(decision.thoughts) == {"5x3": 1.0}
    assert decision.thoughts.values["5x3"] == pytest.approx(OF_FIVE[2] + 0.05)
    assert decision.thoughts.chance == pytest.approx(OF_FIVE[1])


def test_dudo_phase_needs_abundance_and_mentions() -> None:
    """5x3 is .213 likely. Four threes of five dice exceed 5/3, and 6x3 scores .539 + .05 n >= .5.

    With n = 2 bids on threes it raises, with one it calls; with two threes of five and n = 2,
    6x3 scores 11/243 + .1: it calls.
    """
    raised = thoughts("common 33334/????? A 4x3,5x3")
    assert raised.phase == "dudo"
    assert likely(raised) == {"6x3": 1.0}
    assert raised.values["6x3"] == pytest.approx(OF_FIVE[2] + 0.1)
    assert raised.chance == pytest.approx(OF_FIVE[1] + 0.05)
    assert likely(thoughts("common 33334/????? A 5x3")) == {"dudo": 1.0}
    assert likely(thoughts("common 33462/????? A 4x3,5x3")) == {"dudo": 1.0}
    late = Observer(late_mentions=1)
    assert likely(thoughts("common 33334/????? A 5x3", late)) == {"6x3": 1.0}


def test_calza_needs_to_beat_dudo_and_every_raise() -> None:
    """T = 3, u = 1: 2x3 is 7/27 likely. With two threes it is exact with 2/3 >= .40.

    1 - bel = 0 and the best raise, 3x3, scores 1/3 + .05: calza. With one three exact is 1/3 < .40:
    dudo, right with 2/3.
    """
    found = thoughts("s0_sim 33/? A 2x3")
    assert found.phase == "dudo"
    assert likely(found) == {"calza": 1.0}
    assert found.values["calza"] == pytest.approx(2 / 3)
    assert found.values["3x3"] == pytest.approx(1 / 3 + 0.05)
    assert likely(thoughts("s0_sim 34/? A 2x3")) == {"dudo": 1.0}
    assert likely(thoughts("s0_sim 33/? A 2x3", Observer(calza=0.7))) == {"dudo": 1.0}


def test_calza_out_of_turn() -> None:
    """u = 2: with two threes 2x3 is exact with 4/9 >= .40 and surely true; without, with 1/9."""
    found = thoughts("official 33/?/? C+A 2x3")
    assert likely(found) == {"calza": 1.0}
    assert found.values["calza"] == pytest.approx(4 / 9)
    assert likely(thoughts("official 45/?/? C+A 2x3")) == {"decline": 1.0}


def test_passes_in_danger_with_a_valid_hand() -> None:
    """T = 15: 5x3 is .596 likely. Five different dice are a valid pass; four and one are not."""
    assert likely(thoughts("official 23456/?????/????? A 5x3")) == {"pass": 1.0}
    assert "pass" not in likely(thoughts("official 22223/?????/????? A 5x3"))
    never = Observer(passes=False)
    assert "pass" not in likely(thoughts("official 23456/?????/????? A 5x3", never))
    assert "pass" not in likely(thoughts("official 23456/?????/????? A 2x3"))  # risk-free


def test_capped_bids_leave_only_a_call() -> None:
    """The top bid cannot be raised, even when risk-free by its own lights."""
    trusting = Observer(risk_free=0.0)
    assert likely(thoughts("common 66/?? A 4x6", trusting)) == {"dudo": 1.0}


def test_helpers() -> None:
    """Bids are counted by face; .80 of ten dice is two, and of one die none."""
    record = perudo.position("common 22346/????? A 1x3,2x3,2x5").record
    packed = mentions_of_faces(record)
    assert [times_mentioned(packed, face) for face in (2, 3, 5)] == [0, 2, 1]
    assert highest_likely(10, 2, 0.80) == 2
    assert highest_likely(1, 2, 0.80) == 0
    assert highest_likely(10, 2, 0.0) == 10


@pytest.mark.parametrize("preset", PRESETS)
def test_every_move_is_legal(preset: str) -> None:
    """Observers, some of them odd, and random players at tables of all sizes."""
    agents = [Observer(), Observer(bluff=1.0, calza=0.0, danger=0.0, late_mentions=0)]
    stream = stream_of(3)
    largest = Rules.parse(preset).max_players
    moves, match = 0, 0
    while moves < 500 or match < 10:
        setting = Rules.parse(f"{preset}:dice={1 + match % 8}")
        state = PERUDO.start(setting, min(2 + match % 9, largest))
        match += 1
        while not state.over and moves < 50 * match:
            if state.actor is None:
                state = state.deal(int(below(stream, 1 << 30)))
                continue
            seen = state.observe(state.actor)
            kind = int(below(stream, 3))
            if kind == 2:
                action = seen.legal_actions[int(below(stream, len(seen.legal_actions)))]
            else:
                agent = agents[kind]
                action = agent.decide(seen, agent.new_memory(), stream).action
                assert action in state.legal_actions, f"{action} in {state.notation}"
            moves += 1
            state = state.apply(action)
