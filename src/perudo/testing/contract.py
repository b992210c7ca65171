"""What the checks raise."""

from __future__ import annotations


class ContractError(AssertionError):
    """A game or an agent does not do what its contract says."""
