"""Values of moves in a position, sample by sample, for reviews.

Beliefs and playouts are those of the champion's search, but all moves are tried equally often, on
the same deals with the same luck, and without premiums on the dice of weaker players.
"""

from __future__ import annotations

import numpy as np

from perudo.agents.champion.features import Codes
from perudo.agents.champion.match_worth import SIZE, Worth, worth_to
from perudo.agents.champion.player_models import (
    MODEL_COUNT,
    OWN,
    POLICIES_BEGIN,
    POLICIES_END,
    WEIGHT_COUNT,
    PlayerModels,
    network_of,
    new_room,
    weigh_hands,
)
from perudo.agents.champion.search import ADAPT, WORTH, play_out, weigh_models
from perudo.games.chance import Stream, combine, draw, uniform, whole
from perudo.games.game import Record, copy, hand_count, put_hand, workspace
from perudo.games.kernel import kernel
from perudo.games.policy import Memory, Parameters
from perudo.search.files.book import reals_at
from perudo.search.online.beliefs import Shares

DEALT, LUCK = 1 << 20, 1 << 21
"""Parts of a sample's key: for the deal, and for the playouts."""


@kernel
def sample_worths(
    position: Record,
    parameters: Parameters,
    memory: Memory,
    seat: int,
    moves: Codes,
    resample: bool,
    key: np.uint64,
    thoughts: Record,
    worths: Shares,
) -> None:
    """Fill ``worths[sample, move]`` with the seat's probability to win the match after the round.

    With ``resample`` the others' hands are drawn from the seat's belief; else the position's hands
    stay, and only the others' models are drawn.
    """
    players, most = whole(position.players), 1
    for other in range(players):
        most = max(most, hand_count(position, other))
    states, stream = workspace(position, 3), np.zeros(1, np.uint64)
    shares, of_models = np.zeros((players, MODEL_COUNT * most)), np.zeros((players, MODEL_COUNT))
    network = network_of(parameters[:WEIGHT_COUNT].astype(np.float32))
    asked = parameters[POLICIES_BEGIN:POLICIES_END]
    models = PlayerModels(network, asked, new_room(), thoughts)
    weigh_models(parameters[ADAPT], memory, of_models)
    weigh_hands(states, position, seat, models, of_models, stream, shares)
    copy(states[0], position)
    worth = reals_at(parameters[WORTH], SIZE)
    play_each(states, seat, models, worth, shares, moves, resample, key, worths)


@kernel
def play_each(
    states: Record,
    seat: int,
    models: PlayerModels,
    worth: Worth,
    shares: Shares,
    moves: Codes,
    resample: bool,
    key: np.uint64,
    worths: Shares,
) -> None:
    """Deal, and play out every move. The caller allocates the states: see ``weigh_round``."""
    position, dealt, state = states[0], states[1], states[2]
    players, hands = whole(position.players), shares.shape[1] // MODEL_COUNT
    as_model, stream = np.full(players, OWN, np.int64), np.zeros(1, np.uint64)
    for sample in range(worths.shape[0]):
        sample_key = combine(key, sample)
        stream[0] = combine(sample_key, DEALT)
        copy(dealt, position)
        for other in range(players):
            if other == seat or position.counts[other] == 0:
                continue
            if resample:
                place = draw(shares[other], stream)
                as_model[other] = place // hands
                put_hand(dealt, other, place % hands)
            else:
                as_model[other] = draw_model(dealt, position, other, shares[other], stream)
        for index in range(moves.size):
            stream[0] = combine(sample_key, LUCK)
            copy(state, dealt)
            said = int(moves[index])
            play_out(models, as_model, state, said, stream)
            worths[sample, index] = worth_to(state, worth, seat)


@kernel
def draw_model(dealt: Record, position: Record, seat: int, sums: Shares, stream: Stream) -> int:
    """Draw a seat's model, given its hand, by how well it explains the bids."""
    hands, number = sums.size // MODEL_COUNT, 0
    for hand in range(hand_count(position, seat)):
        put_hand(dealt, seat, hand)
        if dealt.hands[seat] == position.hands[seat]:
            number = hand
    dealt.hands[seat] = position.hands[seat]
    weights = np.zeros(MODEL_COUNT)
    for model in range(MODEL_COUNT):
        place = model * hands + number
        weights[model] = sums[place] - (sums[place - 1] if place > 0 else 0.0)
    point = uniform(stream) * weights.sum()
    for model in range(MODEL_COUNT - 1):
        point -= weights[model]
        if point < 0.0:
            return model
    return MODEL_COUNT - 1
