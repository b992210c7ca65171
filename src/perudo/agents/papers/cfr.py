"""Solved strategies for two players: rounds solved by CFR, each played for the match.

Sources: Martin Zinkevich et al., "Regret minimization in games with incomplete information", 2007;
Todd W. Neller and Steven Hnath, "Approximating Optimal Dudo Play with Fixed-Strategy Iteration
Counterfactual Regret Minimization", 2011; Dheeraj Putta's Maynooth report, 2019 (``bet_generator``
cites it).

Solutions are stored in the user's cache directory. The command line solves a match when it is first
needed; a server only plays matches that have been solved.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from perudo.agents.agent import CompiledAgent, CompiledPlayer, Decision
from perudo.agents.heads_up import from_opener, match_state_number
from perudo.agents.parameters import flag, number
from perudo.games.chance import Stream, below
from perudo.games.errors import PerudoError
from perudo.games.game import (
    Game,
    Record,
    State,
    action,
    action_count,
    forget_round,
    hand_count,
    memory_key,
    put_hand,
    workspace,
)
from perudo.games.kernel import cache_directory, kernel
from perudo.games.policy import (
    UNIFORM,
    Memory,
    Parameters,
    begin,
    choose,
    consider,
)
from perudo.search.cfr.match_values import LONGEST_MEMORY, Effort, MatchSolver, Valued
from perudo.search.files.book import MISSING, Book, chance_at, look_up, position_key
from perudo.search.files.page import ALL_MOVES, Page
from perudo.search.files.sealed import SealedFileError

MEMORIES = (ALL_MOVES, *range(LONGEST_MEMORY, 0, -1))
"""Memory lengths that a page may have, in moves; look-ups try each in this order."""

Report = Callable[[Valued, int, int], None]
"""Callback for progress: the round just solved, its number, and the number of rounds."""
_solving: list[Report] = []
"""The progress callback if solving is allowed; empty in a server."""


def allow_solving(report: Report) -> None:
    """Allow agents to solve missing matches when they sit down, reporting progress."""
    _solving[:] = [report]


@kernel
def number_of_hand(view: Record, seat: int, workspaces: Record) -> int:
    """Return the index of a seat's hand, as ``put_hand`` numbers them."""
    hand, other = view.hands[seat], workspaces[1]
    other.counts[seat] = view.counts[seat]
    for index in range(hand_count(other, seat)):
        put_hand(other, seat, index)
        if other.hands[seat] == hand:
            return index
    return 0  # not reached: every hand is listed


@kernel
def play_by_the_book(
    observation: Record, parameters: Parameters, memory: Memory, stream: Stream, thoughts: Record
) -> int:
    """Draw from the solved mixture, or any legal move where the book is silent."""
    workspaces = workspace(observation, 2)
    view = workspaces[0]
    from_opener(view, observation)
    match_state, place = match_state_number(view), MISSING
    for memory_of_page in MEMORIES:
        if place == MISSING:
            key = memory_key(view, memory_of_page)
            place = look_up(parameters, position_key(key, memory_of_page, match_state))
    begin(thoughts)
    count = action_count(observation)
    hand = number_of_hand(view, int(view.viewer), workspaces)
    total = 0.0
    if place != MISSING:
        for index in range(count):
            total += chance_at(parameters, place, hand, index)
    if total == 0.0:
        thoughts.mixed = UNIFORM
        return int(action(observation, below(stream, count)))
    for index in range(count):
        share = chance_at(parameters, place, hand, index) / total
        if share > 0.0:
            consider(thoughts, action(observation, index), share, np.nan)
    return choose(thoughts, stream)


@dataclass(frozen=True)
class Cfr(CompiledAgent):
    """Plays solved strategies: small rounds exactly, larger ones with a short memory.

    Each round is played for the match: its payoffs are the match values of the dice counts it can
    lead to, from the rounds solved before it.
    """

    name = "cfr"
    idea = "solved strategies for two players, each round played for the match"
    source = (
        "FSICFR (Neller and Hnath 2011), as in the Maynooth report (Putta 2019); "
        "CFR (Zinkevich et al. 2007)"
    )
    policy = play_by_the_book

    memory: int = number(2, 1, 3)
    """Minimum number of last moves it remembers in rounds too large to solve exactly."""
    iterations: int = number(100_000, 1_000, 100_000_000)
    """Number of deals from which it learns such a round."""
    match: bool = flag(True)
    """Play for the match; otherwise play each round for the die."""

    def cannot_play(self, game: Game, setting: Any, players: int) -> str | None:
        """Return why this agent cannot play at such a table; it plays only between two."""
        if players != 2:
            return f"{self.name} plays only at tables of two, not of {players}"
        return super().cannot_play(game, setting, players)

    def prepare(self, start: State) -> CompiledPlayer:
        """Open the book for these rules and dice, solving missing pages if that is allowed."""
        book = Book.of((_match_state(page), page) for page in self._pages(start))
        return CompiledPlayer(self, book.parameters, (book,))

    @property
    def parameters(self) -> Parameters:
        """Unavailable, because they are addresses in a book that only a player has opened."""
        raise PerudoError(f"{self.name} must be prepared for a match before it plays")

    def decide(self, observation: State, memory: Memory, stream: Stream) -> Decision:
        """Open the book for this one decision; a player from ``prepare`` is faster for many."""
        with self.prepare(_start_of(observation)) as player:
            return player.decide(observation, memory, stream)

    @property
    def _effort(self) -> Effort:
        return Effort(memory=self.memory, iterations=self.iterations, for_match=self.match)

    def _pages(self, start: State) -> list[Page]:
        folder = _folder(start, self._effort)
        try:
            return _load(folder)
        except SealedFileError:
            if not _solving:
                dice = ",".join(str(int(count)) for count in start.record.counts[:2])
                raise PerudoError(
                    f"{self.spec} has not been solved for {getattr(start, 'rules', '')} with dice "
                    f"{dice}; play it once on the command line"
                ) from None
        solver = MatchSolver(_openings(start), self._effort, _canonical)
        match_states = solver.match_states
        solved = 0

        def report(valued: Valued) -> None:
            nonlocal solved
            solved += 1
            _solving[0](valued, solved, len(match_states))

        solver.solve(report)
        pages = [valued.page for valued in solver.valued.values()]
        for place, (page, match_state) in enumerate(zip(pages, match_states, strict=True)):
            number = int(match_state_number(match_state.record))
            page.about["standing"], page.about["pages"] = number, len(pages)
            page.save(folder / f"{place}.page")
        return pages


def _openings(start: State) -> list[State]:
    """Return the match with each possible opener; only one if the opener is decided."""
    record = start.record
    seats = range(2) if record.opener < 0 else range(int(record.opener), int(record.opener) + 1)
    openings = []
    for seat in seats:
        record.opener = seat
        openings.append(type(start)(record))
    return openings


def _canonical(state: State) -> tuple[State, bool]:
    """Return a match state with its opener as A, and whether that exchanged the seats."""
    records = np.zeros(2, state.game.dtype)
    records[0] = state.record
    from_opener(records[1], records[0])
    rules = records[1]["rules"]
    rules["start_mode"] = rules["start_roll_tie"] = 0  # who opens first is decided
    return type(state)(records[1]), bool(records[0]["opener"] == 1)


def _match_state(page: Page) -> int:
    return int(page.about["standing"])


def _start_of(observation: State) -> State:
    """Return a match that starts with the dice counts of an observation's round."""
    record = observation.record
    forget_round(record)
    return type(observation)(record)


def _folder(start: State, effort: Effort) -> Path:
    """Return the folder of a book, named by a hash of everything the book depends on."""
    home = os.environ.get("PERUDO_BOOKS") or cache_directory().parent / "books"
    digest = hashlib.sha256(f"{effort} revision {start.game.revision}".encode())
    for opening in sorted(_canonical(state)[0].record.tobytes() for state in _openings(start)):
        digest.update(opening)
    return Path(home) / digest.hexdigest()[:24]


def _load(folder: Path) -> list[Page]:
    """Load all pages of a folder; raise ``SealedFileError`` if one is missing or damaged."""
    first = Page.load(folder / "0.page")
    return [
        first,
        *(Page.load(folder / f"{place}.page") for place in range(1, first.about["pages"])),
    ]
