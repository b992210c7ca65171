"""Livingstone's adaptive robot: what it makes of habits, and how it learns them.

Positions are of two players with five dice each; a hand of 3 3 6 6 6 holds two 3s and three 6s.
"""

from __future__ import annotations

import pytest

import perudo
from perudo.agents.papers.adaptive import BIDS_ON_TYPE, OPENS_LOW, HeuristicAdaptive
from perudo.agents.papers.heuristic import HmaxCounter
from perudo.games.chance import stream_of
from perudo.games.policy import Memory

A, B, C = range(3)


def habits(opens_low: float = 0.5, bids_on_type: float = 0.5) -> Memory:
    """Return a memory with these habits of seat A."""
    memory = HeuristicAdaptive().new_memory()
    memory[A] = opens_low - 0.5, bids_on_type - 0.5
    return memory


def decide(position: str, memory: Memory, agent: HeuristicAdaptive | None = None) -> str:
    decision = (agent or HeuristicAdaptive()).decide(
        perudo.position(position), memory, stream_of(1)
    )
    assert decision.thoughts is not None
    assert decision.thoughts.probabilities == {str(decision.action): 1.0}
    return str(decision.action)


# --- play ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("hand", ["22346", "12556", "33666", "33355"])
@pytest.mark.parametrize("bids", ["1x2", "3x3", "4x5", "2x2,3x2,3x6"])
def test_knowing_nothing_it_is_the_counter(hand: str, bids: str) -> None:
    """Both habits are a half to begin with, which is neither rare nor usual."""
    position = f"perudish2 ?????/{hand} B {bids}"
    counter = HmaxCounter().decide(
        perudo.position(position), HmaxCounter().new_memory(), stream_of(1)
    )
    assert decide(position, habits()) == str(counter.action)


def test_it_opens_low() -> None:
    assert decide("perudish2 66666/????? A -", habits(0.9, 0.9)) == "1x2"


def test_a_low_opener_is_raised_even_with_nothing_in_hand() -> None:
    """No 2 in hand: the counter calls. Of one who opens low it raises: the same type if A tends to
    bid on its favoured one, else its own, 6s."""
    opening = "perudish2 ?????/33666 B 2x2"
    assert decide(opening, habits()) == "dudo"
    assert decide(opening, habits(0.8, 0.6)) == "3x2"
    assert decide(opening, habits(0.8, 0.5)) == "2x6"
    assert decide(opening, habits(0.7, 0.6)) == "dudo"  # must exceed .7


def test_only_an_opening_is_raised_so() -> None:
    assert decide("perudish2 ?????/33666 B 1x2,1x3,2x2", habits(0.8, 0.6)) == "dudo"
    # and a habit is that of the seat that bid
    memory = habits(0.8, 0.6)
    memory[B], memory[A] = memory[A].copy(), 0.0
    assert decide("perudish2 ?????/33666 B 2x2", memory) == "dudo"


def test_a_bidder_on_type_is_called_only_far_above_what_is_held() -> None:
    """Two 3s held: 7x3 exceeds them by five. 6x3 exceeds them by four, which is not enough: then
    the counter's step 3 bids 6x6, unless the gap is four."""
    assert decide("perudish2 ?????/33666 B 7x3", habits(0.5, 0.8)) == "dudo"
    assert decide("perudish2 ?????/33666 B 6x3", habits(0.5, 0.8)) == "6x6"
    assert decide("perudish2 ?????/33666 B 6x3", habits(0.5, 0.8), HeuristicAdaptive(gap=4)) == (
        "dudo"
    )
    assert decide("perudish2 ?????/33666 B 7x3", habits(0.5, 0.7)) == "7x6"  # must exceed .7


def test_the_gap_grows_with_the_table() -> None:
    """A third player with five dice is expected to hold 5/3: 8x3 less two held is 4.3, 9x3 5.3."""
    assert decide("perudish_n ?????/33666/????? B 8x3", habits(0.5, 0.8)) != "dudo"
    assert decide("perudish_n ?????/33666/????? B 9x3", habits(0.5, 0.8)) == "dudo"


# --- learning -----------------------------------------------------------------------------------
def learned(position: str, call: str, viewer: int = B, memory: Memory | None = None) -> Memory:
    agent = HeuristicAdaptive()
    memory = agent.new_memory() if memory is None else memory
    agent.learn(perudo.position(position).apply(call).observe(viewer), memory)
    return memory


def test_a_full_opening_on_the_favoured_type() -> None:
    """A holds three 4s, and two more is five: 5x4 is not low, and it is on its type."""
    memory = learned("perudish2 13446/22355 B 5x4", "dudo")
    assert memory[A].tolist() == pytest.approx([-0.1, 0.05])
    assert not memory[B:].any()


def test_each_bid_counts_for_the_type_but_only_the_first_for_the_opening() -> None:
    """A opened 1x2: low, and 2 is not its type; 3x4 is, and so is 5x4. B's bids are not its own
    concern."""
    memory = learned("perudish2 13446/22355 B 1x2,2x2,3x4,3x5,5x4", "dudo")
    assert memory[A].tolist() == pytest.approx([0.1, 0.05])
    assert not memory[B:].any()


def test_the_second_to_bid_has_not_opened() -> None:
    memory = learned("perudish2 22355/13446 A 1x2,2x6", "dudo", viewer=A)
    assert memory[B].tolist() == pytest.approx([0.0, -0.05])


def test_dice_are_counted_as_they_were_rolled() -> None:
    """B has four dice, a third of which, rounded up, is two: A's 4x4 is below five, so low. It
    loses a die for it; a third of the three dice then unseen would be one."""
    memory = learned("perudish_n 13446/2235 B 4x4", "dudo")
    assert memory[A].tolist() == pytest.approx([0.1, 0.05])


def test_habits_stay_between_none_and_always() -> None:
    memory = habits(0.05, 0.98)
    learned("perudish2 13446/22355 B 5x4", "dudo", memory=memory)
    assert memory[A].tolist() == pytest.approx([-0.5, 0.5])


def test_a_hand_that_was_not_shown_teaches_nothing() -> None:
    """Only the cup of the one who passed is lifted."""
    memory = learned("official 13446/23456/66666 C 2x3,pass", "doubt", viewer=C)
    assert not memory.any()
    memory = learned("official 13446/23456/66666 A 2x3,2x4,pass", "doubt", viewer=A)
    assert not memory.any()  # B's bid was seen, its dice not


def test_it_learns_to_beat_what_it_could_not() -> None:
    """After five low openings by A it raises where it called before."""
    memory = habits()
    for _ in range(5):
        learned("perudish2 13446/22355 B 2x4", "dudo", memory=memory)
    assert memory[A].tolist() == pytest.approx([0.5, 0.25])
    assert decide("perudish2 ?????/33666 B 2x2", memory) == "3x2"
    assert memory[A, OPENS_LOW] == pytest.approx(0.5)
    assert memory[A, BIDS_ON_TYPE] == pytest.approx(0.25)
