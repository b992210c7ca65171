"""The exception of the checks."""

from __future__ import annotations


class ContractError(AssertionError):
    """A game or an agent breaks its contract."""
