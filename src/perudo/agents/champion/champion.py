"""The champion: it models several kinds of players, infers who is at the table, and searches.

Source: this project (docs/agents.md explains how it works and how strong it is). The parts:
``features`` (decisions as numbers), ``player_models`` (what players do), ``knowledge`` (the file of
what was learnt), ``match_worth`` (values of matches), ``opponents`` (inference about players),
``two_player_book`` (solved rounds), ``search``, ``review_values`` (for reviews).
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
from perudo.games.game import Game, Record, State
from perudo.games.kernel import kernel
from perudo.games.perudo.layout import read_rules
from perudo.games.policy import Memory, Parameters, new_thoughts

MIN_ROLLOUTS = 32
DEEP_FACTOR = 25
"""The factor by which ``deep`` multiplies the rollouts."""


@kernel
def play_champion(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Search, or play by the book alone."""
    if parameters[BOOK_ONLY] > 0.0:
        return int(play_two_players(observation, parameters[BOOK_AT:], memory, stream, thoughts))
    return int(decide_champion(observation, parameters, memory, stream, thoughts))


@dataclass(frozen=True)
class Champion(CompiledAgent):
    """Tries all moves on sampled hands and models, weighted by how well they explain the bids."""

    name = "champion"
    idea = "models the other players, infers their hands, and plays out every move for the match"
    source = "this project"
    policy = play_champion
    learning = read_opponents
    memory_width = MODEL_COUNT
    phases = PHASES

    deep: bool = flag(False)
    """Search twenty-five times as long."""
    rollouts: int = number(3_000, MIN_ROLLOUTS, 10_000_000)
    """Rollouts of a decision, at most: each plays the round out."""
    adapt: float = number(1.0, 0.0, 1.0)
    """Weight of the opponents' observed play in this match; 0 ignores it."""
    temperature: float = number(0.01, 0.001, 10.0)
    """A move that is worse by this fraction of a die's value is made a third as often (1/e); among
    more than four players the fraction is three times as large."""
    match: bool = flag(True)
    """Play for the match; otherwise for the share of the dice."""
    book: bool = flag(False)
    """Play by the two-player book alone, to measure it, and at random where it is silent."""

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return why this agent cannot play at such a table; the book alone is for two."""
        if self.book and players != 2:
            return f"{self.spec} plays only at tables of two, not of {players}"
        return super().cannot_play(game, setting, players)

    def as_model(self, start: State) -> CompiledPlayer:
        """Return a player that uses the book where there is one, else the fewest rollouts."""
        first, second = start.record.counts[:2]
        if start.players == 2:
            if open_book(read_rules(start.record)).memories[number_of_dice(first, second)] > 0:
                return replace(self, book=True).prepare(start)
        return replace(self, rollouts=MIN_ROLLOUTS, deep=False).prepare(start)

    def known(self) -> Habits:
        """Return the models of players and the match values; the package's own here."""
        return shipped()

    def prepare(self, start: State) -> ChampionPlayer:
        """Open the models, the match values and the book for these rules."""
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
        """Unavailable, because they hold addresses of arrays that only a player has opened."""
        raise PerudoError(f"{self.name} must be prepared for a match before it plays")


class ChampionPlayer(CompiledPlayer):
    """The champion with the models, the match values and the book for some rules."""

    def worth_samples(
        self,
        position: State,
        seat: int,
        actions: Sequence[int],
        memory: Memory,
        samples: int,
        key: np.uint64,
    ) -> npt.NDArray[np.float64]:
        """Return the seat's probability to win the match after the round: (samples, actions).

        In a full position all hands stay; in a seat's observation the others' hands are sampled by
        how well they explain the bids.
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
