"""The thesis' Observer: how risky the standing bid is decides the mood in which it answers.

``weigh_as_observer`` takes the state and the seat explicitly, so that a search can ask it for any
seat of a round that it has dealt in its head.
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
"""Where the parameters are: the fields of ``Observer`` in their order."""


@kernel
def mentions_of_faces(state: Record) -> int:
    """How many bids of this round were on each face, packed like a hand: eight bits a face."""
    packed = 0
    for index in range(int(state.actions)):
        said = history_action(int(state.history[index]))
        if said >= FIRST_BID_CODE:
            packed += 1 << (8 * face_of(said))
    return packed


@kernel
def times_mentioned(packed: int, face: int) -> int:
    """How many of the bids were on this face."""
    return (packed >> (8 * face)) & 255


@kernel
def highest_likely(dice: int, kinds: int, chance: float) -> int:
    """The largest quantity that all dice together show with at least this chance."""
    quantity = dice * kinds // FACES
    while quantity > 0 and at_least(dice, quantity, kinds) < chance:
        quantity -= 1
    while quantity < dice and at_least(dice, quantity + 1, kinds) >= chance:
        quantity += 1
    return quantity


@kernel
def weigh_opening(state: Record, seat: int, parameters: Parameters, thoughts: Record) -> None:
    """Bluff on any face, or bid on one's own most common: what all dice show very likely."""
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
    """Consider the lowest legal bid on each face, by its chance and how often the face was named.

    Returns the best of those scores.
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
    """Give the raises from place ``first`` on their chances: the best, or as a bluff any."""
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
    """The highest bid on the same face that all dice show at least this likely."""
    quantity, face = quantity_of(bid), face_of(bid)
    _, high = bid_range(state, face)
    total, kinds = int(state.total), ways(state, face)
    while quantity < high and at_least(total, quantity + 1, kinds) >= chance:
        quantity += 1
    return bid_code(quantity, face)


@kernel
def phase_of(state: Record, parameters: Parameters) -> int:
    """The phase, from the chance of the standing bid if all dice were unseen."""
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
    """Write into the thoughts how likely the Observer in a seat does what."""
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
    """Weigh as the viewer, then draw."""
    weigh_as_observer(observation, whole(observation.viewer), parameters, thoughts)
    return choose(thoughts, stream)


@dataclass(frozen=True)
class Observer(CompiledAgent):
    """Reads the risk of the standing bid, its own dice, and which faces were named.

    The thesis' flowchart is lost; this is a reconstruction whose phase limits fit its figures. Not
    in the text: ties are drawn for; a valid pass goes before calza, since it cannot lose a die; a
    standing pass is doubted where the bid would be.
    """

    name = "observer"
    idea = "the risk of the last bid sets its mood: jump, raise, weigh against dudo, or dudo"
    source = "Perudo thesis, section 4.2.2 (flowchart lost; reconstructed)"
    policy = decide_observer
    phases = PHASES

    risk_free: float = chance(0.90)
    """From this chance of the standing bid on, all dice unseen, it feels no risk and jumps."""
    safe: float = chance(0.60)
    """From this chance on it raises without a thought of dudo."""
    danger: float = chance(0.30)
    """From this chance on it weighs a raise against dudo; below, it calls almost always."""
    mention: float = chance(0.05)
    """What each bid on a face adds to the chance of that face."""
    opening_bluff: float = chance(0.5)
    """The chance to open on any face."""
    opening: float = chance(0.80)
    """It opens with the largest quantity that is at least this likely, all dice unseen."""
    bluff: float = chance(0.25)
    """The chance to raise on any face while it feels safe."""
    jump: float = chance(0.90)
    """In the risk-free phase it raises the quantity as long as it is at least this likely."""
    late_raise: float = chance(0.5)
    """In the dudo phase only a raise of at least this score is better than dudo."""
    late_mentions: int = number(2, 0, 255)
    """How often the face must have been named for own dice of it to count in the dudo phase."""
    calza: float = chance(0.40)
    """It claims calza from this chance on, if dudo and a raise are less likely to be right."""
    passes: bool = flag(True)
    """Whether it passes in the danger and dudo phases with a valid hand."""
