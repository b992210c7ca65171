"""The registered game Perudo: its operations and text formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from perudo.games.errors import PerudoError, RulesError
from perudo.games.game import Game, Payload, Properties, register, seat_name
from perudo.games.operations import EVERYTHING, Operations, Record
from perudo.games.options import write_options
from perudo.games.perudo import (
    bidding,
    knowledge,
    layout,
    offer,
    play,
    reveal,
    rolling,
)
from perudo.games.perudo.actions import Action, action_from_code, format_actions, parse_action
from perudo.games.perudo.layout import NOBODY, read_rules
from perudo.games.perudo.notation import hand_text, parse_hand
from perudo.games.perudo.outcome import Settled, outcome_of, result_text
from perudo.games.perudo.rules import MAX_DICE, MAX_PLAYERS, Rules
from perudo.games.perudo.state import PerudoState


class StartRoll(Payload, total=False):
    """The roll for the first opener, if there is one."""

    start_roll: list[list[int | None]]
    """The face that each seat rolled, by attempt; null for seats that did not roll."""


class Deal(StartRoll):
    """The dice of a round by seat; null if hidden from the viewer."""

    round: int
    opener: int
    dice: list[str | None]


class PerudoGame(Game):
    """The game Perudo, also called Liar's Dice or Dudo."""

    name = "perudo"
    summary = "bid on all dice, see only your own, and call bluffs"
    dtype = layout.STATE_DTYPE
    operations = Operations(
        actor=play.actor,
        chance_count=rolling.chance_count,
        chance_outcome=rolling.chance_outcome,
        deal=rolling.deal,
        action_count=offer.action_count,
        action=offer.action,
        refusal=bidding.refusal,
        apply=play.apply,
        round_over=play.round_over,
        payoff=play.payoff,
        observe=knowledge.observe,
        information_key=knowledge.information_key,
        redeal=knowledge.redeal,
        finish_round_randomly=play.finish_round_randomly,
        copy=layout.copy_state,
        settlement_key=reveal.settlement_key,
        memory_key=knowledge.memory_key,
        hand_count=knowledge.hand_count,
        put_hand=knowledge.put_hand,
        rewind=knowledge.rewind,
        move_towards=knowledge.move_towards,
        forget_round=knowledge.forget_round,
        tally=reveal.tally,
    )
    properties = Properties(
        min_players=2,
        max_players=MAX_PLAYERS,
        max_actions=layout.MAX_ACTIONS,
        hidden_moves=False,
        zero_sum=True,
        chance=True,
    )
    refusals = bidding.REFUSALS
    counters = reveal.COUNTERS
    smallest = "openspiel:dice=1"
    revision = Rules.revision
    setting_type = Rules

    def start(
        self,
        setting: Any,
        players: int,
        dice: Sequence[int] | None = None,
        opener: int | None = None,
    ) -> PerudoState:
        """Return the state before the first roll; ``dice`` sets each seat's number if not equal."""
        rules = cast(Rules, setting)
        counts = [rules.dice] * players if dice is None else list(dice)
        check_seats(rules, players, counts)
        record = self.new_record()
        write_options(record.rules, rules)
        record.viewer = EVERYTHING
        record.players = players
        record.counts[:players] = counts
        record.live = sum(count > 0 for count in counts)
        record.total = sum(counts)
        record.phase = layout.AWAITING_DEAL
        record.opener = NOBODY if opener is None else opener
        for name in ("winner", "turn", "pending", "bidder", "passer", "palafico", "palafico_due"):
            record[name] = NOBODY
        return PerudoState(record)

    def parse_action(self, text: str) -> int:
        """Parse an action and return its code."""
        return parse_action(text).code

    def format_action(self, action: int) -> str:
        """Format an action as text."""
        return str(action_from_code(action))

    def action_value(self, action: int) -> Action:
        """Return an action as a ``Bid`` or a ``Word``."""
        return action_from_code(action)

    def format_actions(self, actions: Sequence[int]) -> str:
        """Format actions for people, with bids as ranges."""
        return format_actions(actions)

    def format_deal(self, record: Record) -> Deal:
        """Return the round, its opener and all dice; hidden hands are null."""
        players = int(record.players)
        return {
            "round": int(record.round_number),
            "opener": int(record.opener),
            "dice": [
                hand_text(int(record.hands[seat]))
                if record.viewer in (EVERYTHING, seat) or record.counts[seat] == 0
                else None
                for seat in range(players)
            ],
        }

    def replay_deal(self, record: Record, deal: Payload) -> None:
        """Deal exactly these dice."""
        players = int(record.players)
        opener, dice = deal.get("opener"), deal.get("dice")
        if type(opener) is not int or not 0 <= opener < players or record.counts[opener] == 0:
            raise PerudoError(f"opener {opener!r} is not a seat with dice")
        if record.opener not in (NOBODY, opener):
            raise PerudoError(f"opener {opener} should be {int(record.opener)}")
        if not isinstance(dice, list) or len(dice) != players:
            raise PerudoError(f"dice should be a list of {players} hands")
        for seat, hand in enumerate(dice):
            record.hands[seat] = parse_hand(hand, int(record.counts[seat]))
        record.opener = opener
        rolling.begin_round(record)

    def chance_story(self, record: Record, key: np.uint64) -> StartRoll:
        """Return the roll for the first opener, if the rules have one and it is due."""
        if record.opener != NOBODY or read_rules(record).start_mode != "roll":
            return {}
        return StartRoll(start_roll=play_start_roll(record, key))

    def deal_text(self, deal: Payload) -> str:
        """Describe a deal by the round's number and the dice."""
        dealt = cast(Deal, deal)
        return f"{dealt['round']}. {'/'.join(hand or '-' for hand in dealt['dice'])}"

    def result_text(self, result: Payload) -> str:
        """Describe a result: the reason, and the dice lost and gained."""
        return result_text(cast(Settled, result))

    def format_result(self, record: Record) -> Payload:
        """Return the outcome of the last round as plain data."""
        outcome = outcome_of(record)
        return outcome.data() if outcome else {}

    def describe(self, record: Record) -> str:
        """Describe the table on a few lines."""
        return PerudoState(record).describe()

    def explain_refusal(self, record: Record, action: int, code: str) -> str:
        """Return the reason why an action is not legal, and the legal actions."""
        try:
            said = str(action_from_code(action))
        except (KeyError, ValueError):
            said = f"action {action}"
            if action >= layout.FIRST_BID_CODE:
                said = f"{int(layout.quantity_of(action))}x{int(layout.face_of(action))}"
        if code in ("match_over", "dice_not_rolled"):
            return f"{said} is not legal: {bidding.REASONS[code]}"
        reason = bidding.REASONS[code].format(
            cap=int(bidding.largest_quantity(record)),
            bid=action_from_code(int(record.bid)) if record.bid else "bid",
            actor=seat_name(record.pending),
        )
        count = int(offer.action_count(record))
        legal = format_actions([int(offer.action(record, index)) for index in range(count)])
        return f"{said} is not legal: {reason}; legal: {legal}"


def play_start_roll(record: Record, key: np.uint64) -> list[list[int | None]]:
    """Return the dice of the start roll, by attempt and seat; see ``rolling.start_roll_opener``."""
    players = range(int(record.players))
    everybody = [seat for seat in players if record.counts[seat]]
    in_it = everybody
    attempts: list[list[int | None]] = []
    while len(in_it) > 1 or not attempts:
        attempt = len(attempts)
        faces = {seat: int(rolling.die(key, rolling.START_ROUND, seat, attempt)) for seat in in_it}
        attempts.append([faces.get(seat) for seat in players])
        tied = [seat for seat in in_it if faces[seat] == max(faces.values())]
        again = read_rules(record).start_roll_tie == "reroll_all" and len(tied) > 1
        in_it = everybody if again else tied
    return attempts


def check_seats(rules: Rules, players: int, counts: Sequence[int]) -> None:
    """Raise RulesError unless this many players with these dice can play."""
    if not 2 <= players <= rules.max_players:
        allowed = "2" if rules.max_players == 2 else f"2 to {rules.max_players}"
        raise RulesError(f"{players} players cannot play {rules}; it takes {allowed}")
    if len(counts) != players:
        raise RulesError(f"{len(counts)} dice counts for {players} players; give one for each seat")
    if any(not 0 <= count <= MAX_DICE for count in counts) or sum(c > 0 for c in counts) < 2:
        raise RulesError(
            f"dice {','.join(map(str, counts))} cannot be played; give each seat 0 to {MAX_DICE}, "
            "and at least two seats one or more"
        )


PERUDO = register(PerudoGame())
