"""What can be wrong with what a person, a program or a file asks for.

All are ``ValueError``; the message is one line that says what was wrong and what would have been
right, fit to be shown as it is.
"""

from __future__ import annotations


class PerudoError(ValueError):
    """Something asked for cannot be done; the message says why."""


class UnknownNameError(PerudoError):
    """No preset, option, game or agent has this name."""


class RulesError(PerudoError):
    """These options cannot be played together, or one has a value that it cannot have."""


class PositionError(PerudoError):
    """This is not a position: unreadable, or impossible under its rules."""


class InvalidActionError(PerudoError):
    """This cannot be read as an action."""

    code = "unreadable"


class IllegalActionError(PerudoError):
    """This action is readable but not allowed now; ``code`` is stable and used on the wire."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class NotYourTurnError(IllegalActionError):
    """Another seat is to act."""

    def __init__(self, message: str) -> None:
        super().__init__("not_your_turn", message)


class AgentError(PerudoError):
    """An agent failed: it crashed, hung, or did what it may not; says which, how and where."""
