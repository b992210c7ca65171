"""Errors of agents, as one line that names the agent and the position."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from perudo.agents.agent import Decision
from perudo.games.errors import AgentError, PerudoError
from perudo.games.game import Record, State, action_code, require_legal

_PACKAGE = Path(__file__).resolve().parents[1]


def agent_error(agent: str, problem: str, observation: State | None = None) -> AgentError:
    """Return the error to raise: agent, problem, position."""
    where = ""
    if observation is not None:
        notation = getattr(observation, "notation", None) or " | ".join(
            str(observation).splitlines()
        )
        where = f", in position {notation!r}"
    return AgentError(f"agent {agent}: {problem}{where}")


def raised(error: BaseException) -> str:
    """Return an exception's text, with the last line of its traceback outside this package."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        return f"SyntaxError: {error.msg} ({Path(error.filename).name}, line {error.lineno})"
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(_PACKAGE)]
    own = [frame for frame in own if not frame.filename.startswith("<")] or list(frames)
    place = f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if message else ''}{message}{place}"


def checked(agent: str, observation: State, answer: Any, record: Record | None = None) -> Decision:
    """Return an agent's answer as a legal decision; ``AgentError`` if it is not legal.

    ``record`` is the observation's, for callers that already have a copy of it.
    """
    decision = answer if isinstance(answer, Decision) else Decision(answer)
    try:
        code = action_code(observation.game, decision.action)
        require_legal(observation.record if record is None else record, code)
    except PerudoError as error:
        raise agent_error(agent, str(error), observation) from None
    return Decision(observation.game.action_value(code), decision.thoughts)
