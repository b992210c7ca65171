"""Declarations of an agent's parameters: dataclass fields with a default and a range."""

from __future__ import annotations

from dataclasses import field
from typing import Any

Value = bool | int | float | str
"""The value of a parameter."""


def number(default: float, lowest: float, highest: float) -> Any:
    """Declare a number in a range; an integer if the default is one."""
    return field(default=default, metadata={"range": (lowest, highest)})


def chance(default: float) -> Any:
    """Declare a probability."""
    return number(default, 0.0, 1.0)


def choice(default: str, values: tuple[str, ...]) -> Any:
    """Declare a choice between words; the policy gets the index."""
    return field(default=default, metadata={"values": values})


def flag(default: bool) -> Any:
    """Declare a flag: yes or no."""
    return field(default=default)
