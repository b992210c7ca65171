"""How an agent's dataclass declares its parameters: a default, and what else is possible."""

from __future__ import annotations

from dataclasses import field
from typing import Any

Value = bool | int | float | str
"""The value of a parameter."""


def number(default: float, lowest: float, highest: float) -> Any:
    """A number in a range; a whole one if the default is."""
    return field(default=default, metadata={"range": (lowest, highest)})


def chance(default: float) -> Any:
    """A probability."""
    return number(default, 0.0, 1.0)


def choice(default: str, values: tuple[str, ...]) -> Any:
    """One of a few words; the policy gets its place among them."""
    return field(default=default, metadata={"values": values})


def flag(default: bool) -> Any:
    """Yes or no."""
    return field(default=default)
