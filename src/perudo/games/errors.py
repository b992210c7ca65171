"""Errors in the input of a person, a program or a file.

All are subclasses of ``ValueError``. The message is one line for the user: it says what is wrong
and what would be right.
"""

from __future__ import annotations


class PerudoError(ValueError):
    """A request cannot be fulfilled; the message says why."""


class UnknownNameError(PerudoError):
    """No preset, option, game or agent has this name."""


class RulesError(PerudoError):
    """An option has an impossible value, or options contradict each other."""


class PositionError(PerudoError):
    """A position is unreadable, or impossible under its rules."""


class InvalidActionError(PerudoError):
    """A text or value is not an action."""

    code = "unreadable"


class IllegalActionError(PerudoError):
    """An action is not legal now; ``code`` is stable and part of the protocol."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NotYourTurnError(IllegalActionError):
    """Another seat is to act."""

    def __init__(self, message: str) -> None:
        super().__init__("not_your_turn", message)


class AgentError(PerudoError):
    """An agent crashed, hung, or broke its contract; the message says which, how and where."""
