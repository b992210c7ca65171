"""A person at the keyboard."""

from __future__ import annotations

from typing import Any

import pytest

from perudo.agents.agent import parse_parameters
from perudo.agents.human import HumanAgent
from perudo.games.chance import stream_of
from perudo.games.errors import UnknownNameError
from perudo.games.game import State
from perudo.games.perudo import Bid, Decline, Dudo, position
from perudo.games.rock_paper_scissors import ROCK_PAPER_SCISSORS


class Keyboard:
    """Types what it was given, then the input ends; remembers what it was shown."""

    def __init__(self, *typed: str) -> None:
        self._typed = list(typed)
        self.prompts: list[str] = []
        self.shown: list[str] = []

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self._typed:
            raise EOFError
        return self._typed.pop(0)

    def decide(self, state: State) -> Any:
        human = HumanAgent(self.ask, self.shown.append)
        return human.decide(state, human.new_memory(), stream_of(1))


def test_the_table_is_shown_in_words_and_nothing_hidden() -> None:
    keyboard = Keyboard("4x4")
    view = position("uk 11246/334/1 C 4x4,5x4").observe(2)
    assert keyboard.decide(position("uk ?????/???/1 C 3x4")) == Bid(4, 4)
    (shown,) = keyboard.shown
    assert "C: 1" in shown
    assert "A: ?????" in shown
    assert "C may: " in shown
    assert keyboard.prompts == ["C, your move: "]
    again = Keyboard("dudo")
    assert again.decide(view) == Dudo
    assert "11246" not in again.shown[0]


def test_what_cannot_be_done_is_asked_again_with_the_reason() -> None:
    keyboard = Keyboard("three fours", "", "2x4", "calza", " DUDO ")
    assert keyboard.decide(position("common ?????/???/1 C 3x4")) == Dudo
    table, unreadable, empty, low, none = keyboard.shown
    assert "C may: " in table
    assert "'three fours' is not an action" in unreadable
    assert "'' is not an action" in empty
    assert "2x4 is not legal: it is not higher than the standing 3x4" in low
    assert "these rules have no calza" in none
    assert len(keyboard.prompts) == 5


def test_an_empty_line_lets_calza_go_but_decides_nothing_else() -> None:
    asked = position("official 11246/?????/? C+A 3x4,4x4")
    assert Keyboard("").decide(asked) == Decline
    with pytest.raises(EOFError):
        Keyboard("").decide(position("official 11246/?????/? A 3x4,4x4"))


def test_leaving_reaches_the_caller() -> None:
    with pytest.raises(EOFError):
        Keyboard().decide(position("common 12/?? A -"))

    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    human = HumanAgent(interrupted, lambda line: None)
    with pytest.raises(KeyboardInterrupt):
        human.decide(position("common 12/?? A -"), human.new_memory(), stream_of(1))


def test_rounds_and_the_match_are_told() -> None:
    said: list[str] = []
    human = HumanAgent(lambda prompt: "", said.append)
    over = position("common 12/3 A 1x2,2x3").apply("dudo").observe(0)
    human.learn(over, human.new_memory())
    assert said == ["The round is over: dudo too soon, 2 there, A loses a die."]
    human.leave(over)  # left early: nothing to say
    assert len(said) == 1
    human.leave(position("common 2/3 A 1x3").apply("dudo").observe(0))
    assert said[1:] == ["The match is over; won by B."]


def test_a_person_plays_any_game() -> None:
    setting = ROCK_PAPER_SCISSORS.setting("standard")
    view = ROCK_PAPER_SCISSORS.start(setting, 2).observe(0)
    keyboard = Keyboard("lizard", "rock")
    assert keyboard.decide(view) == "rock"
    assert "'lizard' is not an action" in keyboard.shown[1]


def test_a_person_has_no_parameters() -> None:
    with pytest.raises(
        UnknownNameError, match="human has no parameter 'mood'; its parameters: none"
    ):
        parse_parameters(HumanAgent, "human", "mood=good")
    assert HumanAgent().spec == "human"
