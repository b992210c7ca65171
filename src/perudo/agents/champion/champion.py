"""The champion: it knows how several kinds of players play, reads who is at the table, and thinks.

Source: this project (docs/agents.md tells how it works and how strong it is). The parts:
``features`` (what a decision looks like), ``models`` (what players do there), ``habits`` (the
file of what was learnt), ``standings`` (what a match is worth), ``opponents`` (who is who),
``two_players`` (a book of solved rounds), ``thinking``, ``sampling`` (for reviews).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import CompiledAgent, CompiledPlayer
from perudo.agents.champion.knowledge import Habits, family_of, shipped
from perudo.agents.champion.opponents import read_opponents
from perudo.agents.champion.player_models import MODEL_COUNT, policy_rows
from perudo.agents.champion.review_values import sample_worths
from perudo.agents.champion.search import BOOK_AT, BOOK_ONLY, PHASES, decide_champion
from perudo.agents.champion.two_player_book import (
    number_of_dice,
    open_book,
    play_two_players,
)
from perudo.agents.parameters import flag, number
from perudo.games.chance import Stream
from perudo.games.errors import PerudoError
from perudo.games.game import Game, Record
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import read_rules
from perudo.games.policy import Memory, Parameters, new_thoughts
from perudo.games.state import State

MIN_ROLLOUTS = 32
DEEP_FACTOR = 25
"""How many times as long it thinks when it thinks deeply."""


@kernel
def play_champion(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Think, or play by the book alone."""
    if parameters[BOOK_ONLY] > 0.0:
        return int(play_two_players(observation, parameters[BOOK_AT:], memory, stream, thoughts))
    return int(decide_champion(observation, parameters, memory, stream, thoughts))


@dataclass(frozen=True)
class Champion(CompiledAgent):
    """Deals the others' hands and habits as likely as they explain what was said, and tries all."""

    name = "champion"
    idea = "knows how players play, reads who is who, and plays out every move for the match"
    source = "this project"
    policy = play_champion
    learning = read_opponents
    memory_width = MODEL_COUNT
    phases = PHASES

    deep: bool = flag(False)
    """Think twenty-five times as long."""
    rollouts: int = number(3_000, MIN_ROLLOUTS, 10_000_000)
    """How many rounds are played out for a decision, at most."""
    adapt: float = number(1.0, 0.0, 1.0)
    """How much is made of what opponents were seen to do in this match; 0: nothing."""
    temperature: float = number(0.01, 0.001, 10.0)
    """Moves that are worse by this part of a die's worth are made a third as often; among more than
    four players three times this part."""
    match: bool = flag(True)
    """Play for the match; otherwise for the share of the dice."""
    book: bool = flag(False)
    """Between two: the book alone, to measure it; where it is silent, any move at all."""

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """The book alone is for two."""
        if self.book and players != 2:
            return f"{self.spec} plays against one other, not at tables of {players}"
        return super().cannot_play(game, setting, players)

    def as_model(self, start: State) -> CompiledPlayer:
        """Play by the book where there is one, else think as little as possible."""
        first, second = start.record.counts[:2]
        if start.players == 2:
            if open_book(read_rules(start.record)).memories[number_of_dice(first, second)] > 0:
                return replace(self, book=True).prepare(start)
        return replace(self, rollouts=MIN_ROLLOUTS, deep=False).prepare(start)

    def known(self) -> Habits:
        """Return what it knows of players: what comes with the package."""
        return shipped()

    def prepare(self, start: State) -> ChampionPlayer:
        """Open what is known of the rules that are played."""
        rules = read_rules(start.record)
        family, book = self.known().families[family_of(rules)], open_book(rules)
        rollouts = self.rollouts * (DEEP_FACTOR if self.deep else 1)
        worth = family.worth.ctypes.data
        settings = [worth, rollouts, self.temperature, self.match, self.adapt, self.book]
        # in the order of ``search``
        parameters = np.concatenate([family.weights, policy_rows(), settings, book.parameters])
        return ChampionPlayer(self, parameters, (family, book))

    @property
    def parameters(self) -> Parameters:
        """Addresses among them, which only a player has."""
        raise PerudoError(f"{self.name} has to be prepared for a match before it plays")


class ChampionPlayer(CompiledPlayer):
    """The champion with the weights and the book for some rules."""

    def worth_samples(
        self,
        position: State,
        seat: int,
        actions: Sequence[int],
        memory: Memory,
        samples: int,
        key: np.uint64,
    ) -> npt.NDArray[np.float64]:
        """By sample and action: the seat's chance to win the match once the round is over.

        In a position where all hands are known they stay; in what a seat observes, those of the
        others are dealt as likely as they explain what was said.
        """
        worths = np.zeros((samples, len(actions)))
        sample_worths(
            position.record,
            self.parameters,
            memory,
            seat,
            np.array(actions, np.int64),
            position.viewer == seat,
            key,
            new_thoughts(),
            worths,
        )
        return worths
