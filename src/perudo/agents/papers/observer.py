"""The Perudo thesis' Observer, which answers according to the risk of the standing bid.

Source: Ana Hernandez, "AI for Perudo", MSc thesis, University of Strathclyde, 2021.

``weigh_as_observer`` takes the state and the seat explicitly, so that a search can use it for any
seat of a simulated round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from perudo.agents.agent import CompiledAgent
from perudo.agents.parameters import chance, flag, number
from perudo.agents.table_facts import (
    NO_BID,
    asked_out_of_turn,
    at_least,
    call,
    exactly,
    may_calza,
    ways,
)
from perudo.games.chance import Stream, whole
from perudo.games.game import Record
from perudo.games.kernel import kernel
from perudo.games.perudo.bidding import LEGAL, bid_range, pass_refusal
from perudo.games.perudo.layout import (
    CALZA,
    DECLINE,
    FIRST_BID_CODE,
    PASS,
    bid_code,
    count_in_hand,
    face_of,
    history_action,
    quantity_of,
)
from perudo.games.perudo.reveal import matching, pass_is_valid
from perudo.games.perudo.rules import FACES
from perudo.games.policy import Memory, Parameters, begin, choose, consider

PHASES = ("risk-free", "safe", "danger", "dudo")
RISK_FREE, SAFE, DANGER, DUDO_PHASE = range(4)

(
    RISK_FREE_FROM,
    SAFE_FROM,
    DANGER_FROM,
    MENTION,
    OPENING_BLUFF,
    OPENING,
    BLUFF,
    JUMP,
    LATE_RAISE,
    LATE_MENTIONS,
    CALZA_FROM,
    PASSES,
) = range(12)
"""Indices of the parameters: the fields of ``Observer`` in order."""


@kernel
def mentions_of_faces(state: Record) -> int:
    """Count this round's bids on each face, packed like a hand: eight bits per face."""
    packed = 0
    for index in range(int(state.actions)):
        said = history_action(int(state.history[index]))
        if said >= FIRST_BID_CODE:
            packed += 1 << (8 * face_of(said))
    return packed


@kernel
def times_mentioned(packed: int, face: int) -> int:
    """Return the packed count for a face."""
    return (packed >> (8 * face)) & 255


@kernel
def highest_likely(dice: int, kinds: int, chance: float) -> int:
    """Return the largest quantity that all dice together show with at least this probability."""
    quantity = dice * kinds // FACES
    while quantity > 0 and at_least(dice, quantity, kinds) < chance:
        quantity -= 1
    while quantity < dice and at_least(dice, quantity + 1, kinds) >= chance:
        quantity += 1
    return quantity


@kernel
def weigh_opening(state: Record, seat: int, parameters: Parameters, thoughts: Record) -> None:
    """Consider opening on a random face as a bluff, or on the seat's own most common face.

    The quantity is the largest that all dice show with the probability ``opening``.
    """
    hand = state.hands[seat]
    wild, total = int(state.wild_face), int(state.total)
    unseen = total - int(state.counts[seat])
    most, modes = -1, 0
    for face in range(1, FACES + 1):
        low, high = bid_range(state, face)
        if low <= high and face != wild:
            kinds = ways(state, face)
            quantity = highest_likely(total, kinds, parameters[OPENING])
            quantity = min(max(quantity, low), high)
            value = at_least(unseen, quantity - matching(hand, face, wild), kinds)
            consider(thoughts, bid_code(quantity, face), 0.0, value)
            count = count_in_hand(hand, face)
            if count > most:
                most, modes = count, 0
            modes += count == most
    faces = int(thoughts.considered)
    for place in range(faces):
        probability = parameters[OPENING_BLUFF] / faces
        if count_in_hand(hand, face_of(thoughts.actions[place])) == most:
            probability += (1.0 - parameters[OPENING_BLUFF]) / modes
        thoughts.probabilities[place] = probability


@kernel
def list_raises(
    state: Record, seat: int, parameters: Parameters, mentioned: int, thoughts: Record
) -> float:
    """Consider the lowest legal bid on each face, scored by probability and mentions of the face.

    Return the best score.
    """
    hand = state.hands[seat]
    wild = int(state.wild_face)
    unseen = int(state.total) - int(state.counts[seat])
    best = -1.0
    for face in range(1, FACES + 1):
        low, high = bid_range(state, face)
        if low <= high:
            score = at_least(unseen, low - matching(hand, face, wild), ways(state, face))
            score += parameters[MENTION] * times_mentioned(mentioned, face)
            consider(thoughts, bid_code(low, face), 0.0, score)
            best = max(best, score)
    return best


@kernel
def mix_raises(thoughts: Record, first: int, best: float, bluff: float) -> None:
    """Set the probabilities of the raises from index ``first`` on: the best, or any as a bluff."""
    last = int(thoughts.considered)
    ties = 0
    for place in range(first, last):
        ties += thoughts.values[place] == best
    for place in range(first, last):
        probability = bluff / (last - first)
        if thoughts.values[place] == best:
            probability += (1.0 - bluff) / ties
        thoughts.probabilities[place] = probability


@kernel
def jump(state: Record, bid: int, chance: float) -> int:
    """Return the highest bid on the same face that holds with at least this probability."""
    quantity, face = quantity_of(bid), face_of(bid)
    _, high = bid_range(state, face)
    total, kinds = int(state.total), ways(state, face)
    while quantity < high and at_least(total, quantity + 1, kinds) >= chance:
        quantity += 1
    return bid_code(quantity, face)


@kernel
def phase_of(state: Record, parameters: Parameters) -> int:
    """Return the phase, from the probability of the standing bid with all dice unseen."""
    bid = int(state.bid)
    if bid == NO_BID:
        return RISK_FREE
    holds = at_least(int(state.total), quantity_of(bid), ways(state, face_of(bid)))
    if holds >= parameters[RISK_FREE_FROM]:
        return RISK_FREE
    if holds >= parameters[SAFE_FROM]:
        return SAFE
    return DANGER if holds >= parameters[DANGER_FROM] else DUDO_PHASE


@kernel
def weigh_as_observer(state: Record, seat: int, parameters: Parameters, thoughts: Record) -> None:
    """Write the Observer's action probabilities for a seat into the thoughts."""
    begin(thoughts)
    phase = phase_of(state, parameters)
    thoughts.phase = phase
    bid = int(state.bid)
    if bid == NO_BID:
        weigh_opening(state, seat, parameters, thoughts)
        return
    face, own = face_of(bid), int(state.counts[seat])
    kinds, unseen = ways(state, face), int(state.total) - own
    held = matching(state.hands[seat], face, int(state.wild_face))
    needed = quantity_of(bid) - held
    mentioned = mentions_of_faces(state)
    times = times_mentioned(mentioned, face)
    believed = min(at_least(unseen, needed, kinds) + parameters[MENTION] * (times - 1), 1.0)
    thoughts.chance = believed
    exact = exactly(unseen, needed, kinds)
    claims = exact >= parameters[CALZA_FROM] and exact > 1.0 - believed
    if asked_out_of_turn(state):
        consider(thoughts, CALZA, 1.0 if claims else 0.0, exact)
        consider(thoughts, DECLINE, 0.0 if claims else 1.0, np.nan)
        return
    if phase <= SAFE:
        best = list_raises(state, seat, parameters, mentioned, thoughts)
        if best < 0.0:
            consider(thoughts, call(state), 1.0, 1.0 - believed)
            return
        mix_raises(thoughts, 0, best, parameters[BLUFF])
        if phase == RISK_FREE:
            for place in range(int(thoughts.considered)):
                raised = jump(state, int(thoughts.actions[place]), parameters[JUMP])
                thoughts.actions[place] = raised
        return
    if parameters[PASSES] and pass_refusal(state) == LEGAL and pass_is_valid(state.hands[seat]):
        consider(thoughts, PASS, 1.0, np.nan)
        return
    consider(thoughts, call(state), 0.0, 1.0 - believed)
    first = 1
    if claims and may_calza(state):
        consider(thoughts, CALZA, 0.0, exact)
        first = 2
    best = list_raises(state, seat, parameters, mentioned, thoughts)
    raises = best >= 0.0 and best >= 1.0 - believed
    if phase == DUDO_PHASE:
        abundant = FACES * held > kinds * own and times >= parameters[LATE_MENTIONS]
        raises = raises and abundant and best >= parameters[LATE_RAISE]
    if first == 2 and exact > best:
        thoughts.probabilities[1] = 1.0
    elif raises:
        mix_raises(thoughts, first, best, 0.0)
    else:
        thoughts.probabilities[0] = 1.0


@kernel
def decide_observer(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Compute the viewer's action probabilities, then draw an action."""
    weigh_as_observer(observation, whole(observation.viewer), parameters, thoughts)
    return choose(thoughts, stream)


@dataclass(frozen=True)
class Observer(CompiledAgent):
    """Weighs the risk of the standing bid, its own dice, and the faces that were bid.

    The thesis' flowchart is lost; this is a reconstruction whose phase limits fit its figures. Our
    additions: ties are broken at random; a valid pass is preferred to calza, because it cannot lose
    a die; a pass is doubted where the bid itself would be.
    """

    name = "observer"
    idea = "plays by the risk of the last bid: jumps, raises, weighs a raise against dudo, or calls"
    source = "Perudo thesis (Hernandez 2021), section 4.2.2 (flowchart lost; reconstructed)"
    policy = decide_observer
    phases = PHASES

    risk_free: float = chance(0.90)
    """Lowest probability of the standing bid, all dice unseen, in the risk-free phase, in which it
    jumps."""
    safe: float = chance(0.60)
    """Lowest probability of the standing bid in the safe phase, in which it always raises."""
    danger: float = chance(0.30)
    """Lowest probability of the standing bid in the danger phase, in which it compares a raise with
    dudo; below it is the dudo phase, in which it nearly always calls."""
    mention: float = chance(0.05)
    """Amount that each earlier bid on a face adds to the probability of bids on it."""
    opening_bluff: float = chance(0.5)
    """Probability of opening on a random face."""
    opening: float = chance(0.80)
    """Lowest probability of its opening bid, all dice unseen; it opens with the largest quantity
    allowed."""
    bluff: float = chance(0.25)
    """Probability of raising on a random face in the risk-free and safe phases."""
    jump: float = chance(0.90)
    """Lowest probability, all dice unseen, of a jump in the risk-free phase."""
    late_raise: float = chance(0.5)
    """Lowest score of a raise in the dudo phase."""
    late_mentions: int = number(2, 0, 255)
    """Lowest number of bids on a face for own dice of it to justify a raise in the dudo phase."""
    calza: float = chance(0.40)
    """Lowest probability of claiming calza, if dudo and a raise are less likely to be right."""
    passes: bool = flag(True)
    """Pass in the danger and dudo phases with a valid hand."""
