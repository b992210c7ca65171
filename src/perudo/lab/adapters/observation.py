"""Observations for learners: a row of small integers for the table, and a mask of legal actions.

The row has a part for the round and then one for each seat, from the viewer's own to the left;
``Layout`` names the columns and docs/learners.md explains them. The row holds nothing that the
viewer could not see at the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.games.errors import InvalidActionError
from perudo.games.game import Record, actor
from perudo.games.kernel import kernel
from perudo.games.perudo import Rules
from perudo.games.perudo.actions import (
    Action,
    Bid,
    Calza,
    Decline,
    DoubtPass,
    Dudo,
    Palafico,
    Pass,
    action_from_code,
    parse_action,
)
from perudo.games.perudo.bidding import bid_range
from perudo.games.perudo.layout import (
    ACTION_CODES,
    CALZA,
    DECLINE,
    DUDO,
    FIRST_BID_CODE,
    NOBODY,
    bid_code,
    count_in_hand,
    face_of,
    history_action,
    history_seat,
    quantity_of,
)
from perudo.games.perudo.offer import word_mask
from perudo.games.perudo.rules import FACES, MAX_QUANTITY

Rows = npt.NDArray[np.int8]
Whole = npt.NDArray[np.int64]

RECENT_BIDS = 3
"""Each seat's part shows this many of its last bids of the round."""
ROUND_COLUMNS = (
    *(f"own_{face}s" for face in range(1, FACES + 1)),
    "total_dice",
    "bid_quantity",
    "bid_face",
    "wild_face",
    "actions",
)
TOTAL_DICE, BID_QUANTITY, BID_FACE, WILD_FACE, ACTIONS = range(FACES, len(ROUND_COLUMNS))
SEAT_COLUMNS = (
    "dice",
    "to_act",
    "turn",
    "bidder",
    "passer",
    "palafico",
    "been_palafico",
    "passed",
    *(f"{part}_{ago}" for ago in range(1, RECENT_BIDS + 1) for part in ("quantity", "face")),
)
DICE, TO_ACT, TURN, BIDDER, PASSER, IN_PALAFICO, BEEN_PALAFICO, PASSED, RECENT = range(9)
ROUND_WIDTH, SEAT_WIDTH = len(ROUND_COLUMNS), len(SEAT_COLUMNS)
LARGEST = 127
"""The largest value of a column; only the number of actions could exceed eight bits."""


@dataclass(frozen=True)
class Layout:
    """The columns of an observation at a table with this number of players.

    >>> Layout(2).width
    39
    >>> Layout(2).names[9:13]
    ('wild_face', 'actions', 'seat0_dice', 'seat0_to_act')
    """

    players: int

    @property
    def width(self) -> int:
        """The number of columns of an observation."""
        return ROUND_WIDTH + self.players * SEAT_WIDTH

    @property
    def names(self) -> tuple[str, ...]:
        """The name of every column; ``seat0`` is the viewer, ``seat1`` the next to the left."""
        seats = (f"seat{seat}_{name}" for seat in range(self.players) for name in SEAT_COLUMNS)
        return (*ROUND_COLUMNS, *seats)

    def column(self, name: str) -> int:
        """Return the index of a column."""
        return self.names.index(name)

    def round_part(self, observations: Rows) -> Rows:
        """Return the columns for the round and the viewer's own dice."""
        return observations[..., :ROUND_WIDTH]

    def seat_part(self, observations: Rows) -> Rows:
        """Return the columns for the seats, with one more axis: (..., seat from viewer, column)."""
        shape = (*observations.shape[:-1], self.players, SEAT_WIDTH)
        return observations[..., ROUND_WIDTH:].reshape(shape)


class ActionNumbers:
    """The actions of a table, numbered from 0 without gaps.

    Bids come first, by quantity and face, without ones if they cannot be bid; then the calls that
    the rules have, in the order dudo, calza, pass, doubt, palafico, decline. Numbers depend only on
    the rules and the number of players.

    >>> numbers = ActionNumbers(Rules.preset("openspiel").with_options({"dice": "1"}), 2)
    >>> len(numbers), str(numbers.action(0)), str(numbers.action(12)), numbers.number("2x3")
    (13, '1x1', 'dudo', 8)
    """

    def __init__(self, rules: Rules, players: int) -> None:
        largest = players * rules.dice if rules.cap_bids_at_total else MAX_QUANTITY
        first_face = 2 if rules.ace_rank == "not_biddable" else 1
        actions: list[Action] = [
            Bid(quantity, face)
            for quantity in range(1, largest + 1)
            for face in range(first_face, FACES + 1)
        ]
        asks_others = rules.calza and rules.calza_who != "turn_only"
        known = (
            (Dudo, True),
            (Calza, rules.calza),
            (Pass, rules.enable_pass),
            (DoubtPass, rules.enable_pass),
            (Palafico, rules.palafico == "declared"),
            (Decline, asks_others),
        )
        actions += [word for word, possible in known if possible]
        self.codes: Whole = np.array([action.code for action in actions], np.int64)
        """The game's own code of each action."""
        self.by_code: Whole = np.full(ACTION_CODES, -1, np.int64)
        """The action number of each code, or -1."""
        self.by_code[self.codes] = np.arange(len(actions))

    def __len__(self) -> int:
        return len(self.codes)

    def code(self, number: Any) -> int:
        """Return the game's own code of an action."""
        if not isinstance(number, (int, np.integer)) or not 0 <= number < len(self):
            raise InvalidActionError(
                f"there is no action {number}; they are numbered 0 to {len(self) - 1}"
            )
        return int(self.codes[number])

    def action(self, number: int) -> Action:
        """Return the action with this number, a ``Bid`` or a call."""
        return action_from_code(self.code(number))

    def number(self, action: Action | str) -> int:
        """Return the number of an action, which may be given as text."""
        value = parse_action(action) if isinstance(action, str) else action
        number = int(self.by_code[value.code])
        if number < 0:
            raise InvalidActionError(f"{value} is never legal at this table")
        return number


@kernel
def from_viewer(seat: int, viewer: int, players: int) -> int:
    """Return the distance of a seat from the viewer, counted to the left."""
    return seat - viewer if seat >= viewer else seat - viewer + players


@kernel
def mark(row: Rows, column: int, seat: int, viewer: int, players: int) -> None:
    """Set a column of a seat's part to 1; a negative ``seat`` is ignored."""
    if seat >= 0:
        row[ROUND_WIDTH + from_viewer(seat, viewer, players) * SEAT_WIDTH + column] = 1


@kernel
def write_observation(state: Record, viewer: int, row: Rows) -> None:
    """Write the observation of a seat."""
    players = int(state.players)
    for column in range(row.size):
        row[column] = 0
    hand = state.hands[viewer]
    for face in range(1, FACES + 1):
        row[face - 1] = count_in_hand(hand, face)
    row[TOTAL_DICE] = state.total
    row[BID_QUANTITY] = quantity_of(int(state.bid))
    row[BID_FACE] = face_of(int(state.bid))
    row[WILD_FACE] = state.wild_face
    row[ACTIONS] = min(int(state.actions), LARGEST)
    been, passed = int(state.been_palafico), int(state.passed)
    for seat in range(players):
        place = ROUND_WIDTH + from_viewer(seat, viewer, players) * SEAT_WIDTH
        row[place + DICE] = state.counts[seat]
        row[place + BEEN_PALAFICO] = (been >> seat) & 1
        row[place + PASSED] = (passed >> seat) & 1
    acting = actor(state)
    mark(row, TO_ACT, acting, viewer, players)
    if acting >= 0:
        mark(row, TURN, int(state.turn), viewer, players)
    mark(row, BIDDER, int(state.bidder), viewer, players)
    mark(row, PASSER, int(state.passer), viewer, players)
    mark(row, IN_PALAFICO, int(state.palafico), viewer, players)
    write_recent_bids(state, viewer, row)


@kernel
def write_recent_bids(state: Record, viewer: int, row: Rows) -> None:
    """Write the last bids of each seat in this round, the latest first."""
    players = int(state.players)
    wanted = int(state.live) * RECENT_BIDS
    for index in range(int(state.actions) - 1, -1, -1):
        entry = int(state.history[index])
        bid = history_action(entry)
        if bid < FIRST_BID_CODE:
            continue  # a pass, which has a column of its own
        seat = from_viewer(history_seat(entry), viewer, players)
        place = ROUND_WIDTH + seat * SEAT_WIDTH + RECENT
        end = place + 2 * RECENT_BIDS
        while place < end and row[place] != 0:
            place += 2
        if place < end:
            row[place] = quantity_of(bid)
            row[place + 1] = face_of(bid)
            wanted -= 1
            if wanted == 0:
                break


@kernel
def write_mask(state: Record, by_code: Whole, row: Rows) -> None:
    """Write 1 for each legal action of the actor; all are 0 if there is no seat to act.

    Bids are marked by ranges: with fifty bids this takes half the time of a check of each action.
    """
    for number in range(row.size):
        row[number] = 0
    if actor(state) < 0:
        return
    if state.pending != NOBODY:
        row[by_code[CALZA]] = 1
        row[by_code[DECLINE]] = 1
        return
    for face in range(1, FACES + 1):
        low, high = bid_range(state, face)
        for quantity in range(low, high + 1):
            row[by_code[bid_code(quantity, face)]] = 1
    words = word_mask(state)
    for word in range(DUDO, FIRST_BID_CODE):
        if (words >> word) & 1:
            row[by_code[word]] = 1


def rules_of(rules: Rules | str) -> Rules:
    """Return rules, which may be given as text: ``official:calza=no``."""
    return Rules.parse(rules) if isinstance(rules, str) else rules


def new_rows(*shape: int) -> Any:
    """Return an uninitialised array for observations or masks."""
    return np.empty(shape, np.int8)
