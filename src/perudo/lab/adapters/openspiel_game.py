"""Perudo as the OpenSpiel game ``python_perudo``, and agents of this package as OpenSpiel bots.

Importing this module registers the game::

    pyspiel.load_game("python_perudo(rules=openspiel,dice=1)")
    pyspiel.load_game("python_perudo(rules=official,options=calza:no;enable_pass:no,players=3)")

Chance rolls one die at a time, from the first seat to the last; before the first round it may
choose the opener. ``ActionNumbers`` numbers the players' actions; under the rules ``openspiel``
they agree with the numbers of OpenSpiel's own ``liars_dice``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.agent import Agent, Decision
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.game import CHANCE, OVER, action_code, seat_name
from perudo.games.perudo import PERUDO, PerudoState, Rules
from perudo.games.perudo.layout import MAX_HISTORY, NOBODY, history_action
from perudo.games.perudo.rules import FACES, MAX_PLAYERS
from perudo.lab.adapters.moment import Moment
from perudo.lab.adapters.observation import ActionNumbers, Layout, Rows, new_rows
from perudo.lab.adapters.single import show

try:
    import pyspiel
except ImportError as missing:
    raise ImportError("OpenSpiel is not installed: pip install 'perudo[peers]'") from missing

PARAMETERS: dict[str, str | int] = {"rules": "openspiel", "options": "", "dice": 0, "players": 2}
"""The game's parameters: a preset; options as ``calza:no;start_mode:fixed``; dice for each player
(0: the preset's number); and the number of players."""
NO_LIMIT = 1_000_000
"""The length declared for a game without a limit, where calza can win dice back."""


def read_rules(parameters: Mapping[str, str | int]) -> Rules:
    """Return the rules given by a game's parameters."""
    pairs = [part.partition(":") for part in str(parameters["options"]).split(";") if part]
    options = {name: value for name, _, value in pairs}
    if parameters["dice"]:
        options["dice"] = str(parameters["dice"])
    return Rules.preset(str(parameters["rules"])).with_options(options)


def bids_tell_all(rules: Rules) -> bool:
    """Return True if the match is one round in which the set of bids determines their order."""
    return (
        rules.single_round
        and rules.ace_rank in ("lowest", "not_biddable")
        and not rules.enable_pass
    )


def longest_game(rules: Rules, numbers: ActionNumbers, players: int) -> int:
    """Return a bound on the number of decisions in a match."""
    if bids_tell_all(rules):
        return len(numbers)
    if rules.calza:
        return NO_LIMIT
    return players * rules.dice * (MAX_HISTORY + 1)


def game_type(rules: Rules) -> Any:
    """Return OpenSpiel's description of the game."""
    return pyspiel.GameType(
        short_name="python_perudo",
        long_name="Perudo",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=bids_tell_all(rules),
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class PerudoGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel ships no types
    """An OpenSpiel game: Perudo with given rules."""

    def __init__(self, params: Mapping[str, str | int] | None = None) -> None:
        parameters = {**PARAMETERS, **(params or {})}
        self.rules = read_rules(parameters)
        players = int(parameters["players"])
        record = PERUDO.start(self.rules, players).record
        self.numbers, self.layout = ActionNumbers(self.rules, players), Layout(players)
        self.texts = [str(self.numbers.action(number)) for number in range(len(self.numbers))]
        states = np.zeros(1, PERUDO.dtype)
        states[0] = record
        opener = 0 if self.rules.start_mode == "fixed" else NOBODY
        self.first = Moment(states, CHANCE, opener, hands=("",) * players)
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.numbers),
            max_chance_outcomes=max(FACES, players),
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=longest_game(self.rules, self.numbers, players),
        )
        super().__init__(game_type(self.rules), info, parameters)

    def new_initial_state(self) -> PerudoSpielState:
        """Return the state before the first roll."""
        return PerudoSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> PerudoObserver:
        """Return an observer of states for one player."""
        if params:
            raise ValueError(f"this game has no observation parameters such as {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(
                "observations of this game are for one player, with public and private information"
            )
        return PerudoObserver(self, kind.perfect_recall)

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the number of rolls: all dice before each decision."""
        return int(self.max_game_length() * self.num_players()) * self.rules.dice + 1


def look(game: PerudoGame, moment: Moment, player: int) -> tuple[Rows, Rows]:
    """Return a player's observation and mask of legal actions."""
    row, mask = new_rows(game.layout.width), new_rows(len(game.numbers))
    show(moment.states, player, game.numbers.by_code, row, mask)
    return row, mask


class PerudoSpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel ships no types
    """An OpenSpiel state that wraps a moment."""

    def __init__(self, game: PerudoGame) -> None:
        super().__init__(game)
        self.moment = game.first

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's id for chance or for a finished game."""
        if self.moment.actor == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.moment.actor == OVER else self.moment.actor

    def _legal_actions(self, player: int) -> list[int]:
        moment = self.moment
        if moment.legal is None:
            _, mask = look(self.get_game(), moment, player)
            moment.legal = np.flatnonzero(mask).tolist()
        return moment.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the faces of a die, or the seats that may open, each with its probability."""
        count = self.num_players() if self.moment.opener == NOBODY else FACES
        return [(outcome, 1 / count) for outcome in range(count)]

    def _apply_action(self, action: int) -> None:
        if self.moment.actor == CHANCE:
            self.moment = self.moment.chance(action)
        else:
            game = self.get_game()
            code, text = int(game.numbers.codes[action]), game.texts[action]
            self.moment = self.moment.play(code, text)

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return str(self.get_game().texts[action])
        return f"{seat_name(action)} opens" if self.moment.opener == NOBODY else str(action + 1)

    def is_terminal(self) -> bool:
        """Return True once the match is over."""
        return self.moment.actor == OVER

    def returns(self) -> list[float]:
        """Return each player's payoff for the match."""
        return list(self.moment.payoffs) or [0.0] * self.num_players()

    def position(self, player: int) -> PerudoState:
        """Return a player's view, as the agents of this package expect it."""
        return PerudoState(self.moment.record).observe(player)

    def resample_from_infostate(
        self, player: int, sampler: Callable[[], float]
    ) -> PerudoSpielState:
        """Return a state that looks the same to the player, with the others' dice rerolled."""
        if self.moment.actor < 0:
            raise ValueError("only decisions can be resampled: elsewhere no dice are hidden")
        moment, state = self.moment, self.get_game().new_initial_state()
        owners = np.repeat(np.arange(self.num_players()), moment.counts).tolist()
        for index, action in enumerate(self.history()):
            die = index - moment.rolled_from
            if 0 <= die < len(owners) and owners[die] != player:
                action = int(FACES * sampler())
            state.apply_action(action)
        return state  # type: ignore[no-any-return]  # pyspiel ships no types

    def __str__(self) -> str:
        dice = [self.moment.known_dice(seat) for seat in range(self.num_players())]
        return f"{' / '.join(dice)} | {self.moment.public}"


class PerudoObserver:
    """An observer that writes a player's view to ``tensor`` (named parts in ``dict``) or a string.

    With perfect recall the string holds everything the player has seen in the match, and there is a
    tensor only if the match is one round (see ``bids_tell_all``). Otherwise the tensor is the row
    that docs/learners.md explains.
    """

    def __init__(self, game: PerudoGame, perfect_recall: bool) -> None:
        self._game, self._recall = game, perfect_recall
        self.dict: dict[str, npt.NDArray[np.float32]] = {}
        self.tensor: npt.NDArray[np.float32] | None = None
        if not perfect_recall:
            self.tensor = np.zeros(game.layout.width, np.float32)
            self.dict["observation"] = self.tensor
        elif bids_tell_all(game.rules):
            players, bids = game.num_players(), len(game.numbers) - 1
            widths = {"player": players, "opener": players, "own_dice": FACES, "bids_made": bids}
            self.tensor = np.zeros(sum(widths.values()), np.float32)
            parts = np.split(self.tensor, np.cumsum(list(widths.values()))[:-1])
            self.dict = dict(zip(widths, parts, strict=True))

    def set_from(self, state: PerudoSpielState, player: int) -> None:
        """Write a player's view of a state to the tensor."""
        moment, numbers = state.moment, self._game.numbers
        if not self._recall:
            self.dict["observation"][:], _ = look(self._game, moment, player)
        elif self.tensor is not None:
            self.tensor.fill(0)
            self.dict["player"][player] = 1
            if moment.opener != NOBODY:
                self.dict["opener"][moment.opener] = 1
            for die in moment.known_dice(player):
                self.dict["own_dice"][int(die) - 1] += 1
            for entry in moment.record.history[: int(moment.record.actions)]:
                self.dict["bids_made"][numbers.by_code[history_action(int(entry))]] = 1

    def string_from(self, state: PerudoSpielState, player: int) -> str:
        """Return a player's view of a state on one line."""
        moment = state.moment
        if self._recall:
            return f"{seat_name(player)} {moment.known_dice(player)} | {moment.public}"
        return PerudoState(moment.record).observe(player).describe()


class AgentBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel ships no types
    """An OpenSpiel bot that plays a seat of ``python_perudo`` with an agent of this package."""

    def __init__(self, agent: Agent, player: int, seed: int = 0) -> None:
        super().__init__()
        if agent.memory_width > 0:
            raise PerudoError(
                f"{agent.spec} learns from settled rounds, which OpenSpiel bots do not see"
            )
        self._agent, self._player = agent, player
        self._memory, self._stream = agent.new_memory(), stream_of(seed, player)

    def step(self, state: PerudoSpielState) -> int:
        """Return the number of the agent's action."""
        choice = self._agent.decide(state.position(self._player), self._memory, self._stream)
        action = choice.action if isinstance(choice, Decision) else choice
        return int(state.get_game().numbers.by_code[action_code(PERUDO, action)])

    def restart(self) -> None:
        """Begin a new match; the bot keeps no state to clear."""

    def restart_at(self, state: PerudoSpielState) -> None:
        """Continue at a state; the bot keeps no state to clear."""


pyspiel.register_game(game_type(Rules.preset("openspiel")), PerudoGame)
