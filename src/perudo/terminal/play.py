"""A match in the terminal between one person and agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from perudo.agents.agent import Agent, Player
from perudo.agents.external.process_agent import TIMEOUT_SECONDS
from perudo.agents.external.time_limit import decide_within
from perudo.games.chance import Stream, stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import Game
from perudo.table import SeededDice, Table
from perudo.terminal.screen import Ask, Screen

MakeScreen = Callable[[list[str], int], Screen]
LEAVE = ("quit", "exit", "q")


class Leave(Exception):
    """Raised when the person leaves."""


class TerminalGame:
    """A match between a person in seat A and agents; ``play`` runs it to its end."""

    def __init__(
        self,
        game: Game,
        setting: Any,
        names: list[str],
        agents: Sequence[Agent],
        seed: int,
        make_screen: MakeScreen,
        ask: Ask,
        save: Path | None = None,
    ) -> None:
        self._opened = ExitStack()
        self._players: dict[int, Player] = {}
        start = game.start(setting, len(names))
        try:
            for seat, agent in enumerate(agents, 1):
                reason = agent.cannot_play(game, setting, len(names))
                if reason is not None:
                    raise PerudoError(reason)
                self._players[seat] = self._opened.enter_context(agent.prepare(start))
        except BaseException:
            self.close()
            raise
        self._memories = {seat: player.new_memory() for seat, player in self._players.items()}
        self._streams: dict[int, Stream] = {
            seat: stream_of(seed, 1, seat) for seat in self._players
        }
        self._me = 0
        self._shown = 0
        self._ask = ask
        self._save = save
        self._table = Table(game, setting, names, SeededDice(seed))
        self._screen = make_screen(names, self._me)
        for seat, player in self._players.items():
            player.sit(game, setting, seat, names)

    def close(self) -> None:
        """Release what the agents hold for the match."""
        self._opened.close()

    @property
    def table(self) -> Table:
        """The table of the match."""
        return self._table

    def play(self) -> None:
        """Play until the match is over or the person leaves (``Leave``, EOF or Ctrl-C)."""
        self._screen.welcome(self._table.state.observe(self._me))
        self._show_events()
        while (seat := self._table.actor) is not None:
            if seat == self._me:
                self._let_person_act()
            else:
                self._let_agent_act(seat)
            self._show_events()

    def _let_agent_act(self, seat: int) -> None:
        view = self._table.observe(seat)
        memory, stream = self._memories[seat], self._streams[seat]
        decision = decide_within(self._players[seat], view, memory, stream, TIMEOUT_SECONDS)
        self._table.act(seat, decision.action)

    def _show_events(self) -> None:
        """Show the events since the last call, and save the record."""
        for event, view in self._table.story(self._me, self._shown):
            {
                "deal": self._screen.deal,
                "act": self._screen.action,
                "result": self._screen.result,
                "end": self._screen.end,
            }[event["event"]](event, view)
            if event["event"] == "result":
                self._teach(event["n"])
            self._shown = event["n"]
        if self._save is not None:
            self._table.record.save(self._save)

    def _teach(self, number: int) -> None:
        """Show a finished round to the agents, so that they can learn from it."""
        for seat, player in self._players.items():
            _, view = next(iter(self._table.story(seat, number - 1)))
            player.learn(view, self._memories[seat])

    def _let_person_act(self) -> None:
        view = self._table.observe(self._me)
        self._screen.situation(view)
        while True:
            typed = self._ask(self._screen.prompt(view)).strip()
            typed = typed or self._screen.on_empty(view) or ""
            command = typed.lower()
            if command in LEAVE:
                raise Leave
            if command in ("?", "help", "h"):
                self._screen.help(view)
            elif command in ("legal", "l"):
                self._screen.legal(view)
            elif command in ("odds", "o"):
                self._screen.odds(view)
            elif command in ("table", "t", ""):
                self._screen.situation(view)
            else:
                try:
                    self._table.act(self._me, typed)
                except PerudoError as error:
                    self._screen.refused(str(error))
                    continue
                return
