"""The registered game King UP: its operations and text formats."""

from __future__ import annotations

import re
from typing import cast

from perudo.games.errors import InvalidActionError, PerudoError, RulesError
from perudo.games.game import Game, Payload, Properties, State, register, seat_name
from perudo.games.king_up import knowledge, play
from perudo.games.king_up.layout import (
    AWAITING_DEAL,
    FIRST_MOVE,
    FIRST_PLACE,
    LEVEL_CODES,
    NO,
    OFF_BOARD,
    REASONS,
    REFUSALS,
    STATE_DTYPE,
    VOTING,
    YES,
    card_pieces,
    deck_size,
)
from perudo.games.king_up.settings import (
    MAX_HEIGHT,
    MAX_PIECES,
    MAX_PLAYERS,
    MIN_PLAYERS,
    PIECES,
    KingUpSetting,
)
from perudo.games.operations import EVERYTHING, Operations, Record
from perudo.games.options import write_options

_PLACE = re.compile(r"place\s+([a-l])\s+(\d{1,2})", re.IGNORECASE | re.ASCII)
_MOVE = re.compile(r"move\s+([a-l])", re.IGNORECASE | re.ASCII)


def card_text(record: Record, number: int) -> str:
    """Return the letters of a card's pieces; empty for card 0, the hidden one."""
    mask = int(card_pieces(record, number))
    return "".join(letter for piece, letter in enumerate(PIECES) if mask >> piece & 1)


def card_number(record: Record, text: object) -> int:
    """Return the number of the card with these letters."""
    for number in range(1, int(deck_size(record)) + 1):
        if card_text(record, number) == text:
            return number
    raise PerudoError(f"{text!r} is not a target card here; one is {card_text(record, 1)!r}")


class Deal(Payload):
    """The target cards by seat; null if hidden from the viewer."""

    round: int
    targets: list[str | None]


class Scores(Payload):
    """The scores of a round, the totals, and the target cards, by seat."""

    scores: list[int]
    totals: list[int]
    targets: list[str | None]


class KingUp(Game):
    """King UP for three to six players.

    The payoffs of a round have no fixed sum; those of a match add up to 1.
    """

    name = "king_up"
    summary = "move pieces up a board, guess whose they are, and vote when one is on the top"
    dtype = STATE_DTYPE
    operations = Operations(
        actor=play.actor,
        chance_count=play.chance_count,
        chance_outcome=play.chance_outcome,
        deal=play.deal,
        action_count=play.action_count,
        action=play.action,
        refusal=play.refusal,
        apply=play.apply,
        round_over=play.round_over,
        payoff=play.payoff,
        observe=knowledge.observe,
        information_key=knowledge.information_key,
        redeal=knowledge.redeal,
    )
    properties = Properties(
        min_players=MIN_PLAYERS,
        max_players=MAX_PLAYERS,
        max_actions=MAX_PIECES * (MAX_HEIGHT - 1),
        hidden_moves=True,
        zero_sum=False,
        chance=True,
    )
    refusals = REFUSALS
    smallest = "tiny"
    setting_type = KingUpSetting

    def start(self, setting: KingUpSetting, players: int) -> State:
        """Return the empty board before the first deal; seat A begins the first round."""
        if not MIN_PLAYERS <= players <= MAX_PLAYERS:
            raise RulesError(
                f"{players} players are not possible; choose {MIN_PLAYERS} to {MAX_PLAYERS}"
            )
        record = self.new_record()
        write_options(record.setting, setting)
        record.viewer = EVERYTHING
        record.players = players
        record.vote_cards[:players] = setting.rejection_limit
        record.levels[: setting.pieces_num] = OFF_BOARD
        if players > deck_size(record):
            raise RulesError(
                f"{deck_size(record)} target cards are not enough for {players} players; "
                "choose more pieces, or deck=all"
            )
        return State(record)

    def parse_action(self, text: str) -> int:
        """Parse ``place A 3``, ``move A``, ``yes`` or ``no``."""
        words = text.strip()
        if words.lower() in ("yes", "no"):
            return YES if words.lower() == "yes" else NO
        if match := _MOVE.fullmatch(words):
            return FIRST_MOVE + PIECES.index(match[1].upper())
        match = _PLACE.fullmatch(words)
        if match is None or int(match[2]) >= LEVEL_CODES:
            raise InvalidActionError(
                f"{text!r} is not an action; write 'place A 3' (a piece and a level), 'move A', "
                "'yes' or 'no'"
            )
        return FIRST_PLACE + LEVEL_CODES * PIECES.index(match[1].upper()) + int(match[2])

    def format_action(self, action: int) -> str:
        """Format an action as text that ``parse_action`` reads."""
        if action in (YES, NO):
            return "yes" if action == YES else "no"
        if FIRST_MOVE <= action < FIRST_PLACE:
            return f"move {PIECES[action - FIRST_MOVE]}"
        piece, level = divmod(action - FIRST_PLACE, LEVEL_CODES)
        if not 0 <= piece < MAX_PIECES:
            raise InvalidActionError(f"{action} is not the number of an action")
        return f"place {PIECES[piece]} {level}"

    def hides_action(self, observation: Record, seat: int) -> bool:
        """Return true for another seat's vote until all have voted."""
        pending = observation.stage == VOTING and seat < observation.voted
        return bool(pending and observation.votes[seat] == 0)

    def format_deal(self, record: Record) -> Deal:
        """Return the target cards by seat; hidden ones are null."""
        cards = [card_text(record, number) or None for number in record.cards[: record.players]]
        return {"round": int(record.round_number), "targets": cards}

    def replay_deal(self, record: Record, deal: Payload) -> None:
        """Deal exactly these target cards; in an observation, only the viewer's own."""
        if record.stage != AWAITING_DEAL:
            raise PerudoError("no target cards are to be dealt now")
        targets, players = deal.get("targets"), int(record.players)
        if not isinstance(targets, list) or len(targets) != players:
            raise PerudoError(f"targets should be a list of {players} cards such as 'ABCD'")
        numbers = [
            card_number(record, text) if record.viewer in (EVERYTHING, seat) else 0
            for seat, text in enumerate(targets)
        ]
        if len({number for number in numbers if number}) < sum(number > 0 for number in numbers):
            raise PerudoError(f"targets {targets} give two seats the same card")
        play.begin_round(record)
        record.cards[:players] = numbers

    def deal_text(self, deal: Payload) -> str:
        """Describe a deal by the round's number and the target cards."""
        dealt = cast(Deal, deal)
        return f"{dealt['round']}. {'/'.join(card or '-' for card in dealt['targets'])}"

    def format_result(self, record: Record) -> Scores:
        """Return the scores of the round, the totals, and the target cards, all by seat."""
        return {
            "scores": record.scores[: record.players].tolist(),
            "totals": record.totals[: record.players].tolist(),
            "targets": self.format_deal(record)["targets"],
        }

    def result_text(self, result: Payload) -> str:
        """Describe a result by each seat's score."""
        return f"scores {'/'.join(map(str, cast(Scores, result)['scores']))}"

    def describe(self, record: Record) -> str:
        """Describe the board from top to bottom, then each seat on one line."""
        stage = ("cards to be dealt", "placing", "moving", "voting", "match over")[record.stage]
        seat = int(play.actor(record))
        to_act = f", {seat_name(seat)} to act" if seat >= 0 else ""
        lines = [
            f"King UP, round {record.round_number} of {record.setting.rounds}: {stage}{to_act}"
        ]
        height = int(record.setting.board_height)
        on_level = dict.fromkeys(range(height, OFF_BOARD - 1, -1), "")
        for piece in range(int(record.setting.pieces_num)):
            on_level[int(record.levels[piece])] += f" {PIECES[piece]}"
        for level, pieces in on_level.items():
            name = "off the board" if level == OFF_BOARD else f"level {level}"
            lines.append(f"{name + (' (top)' if level == height else ''):<14}{pieces or ' -'}")
        for seat in range(int(record.players)):
            line = (
                f"{seat_name(seat)}: targets {card_text(record, record.cards[seat]) or 'not known'}"
            )
            line += f", vote cards {record.vote_cards[seat]}, total {record.totals[seat]}"
            if play.round_over(record):
                line += f", this round {record.scores[seat]}"
            if record.votes[seat] != 0:
                line += f", votes {self.format_action(int(record.votes[seat]))}"
            elif seat < record.voted:
                line += ", has voted"
            elif record.revealed[seat] != 0:
                line += f", last voted {self.format_action(int(record.revealed[seat]))}"
            lines.append(line)
        return "\n".join(lines)

    def explain_refusal(self, record: Record, action: int, code: str) -> str:
        """Return the reason, on one line, why an action is not legal."""
        reason = REASONS[code].format(
            last=PIECES[int(record.setting.pieces_num) - 1],
            highest=int(record.setting.board_height) - 2,
            width=int(record.setting.board_width),
        )
        known = code != "unknown_action"
        return f"{self.format_action(action) if known else action}: {reason}"


KING_UP = register(KingUp())
