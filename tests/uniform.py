"""A check that outcomes are equally frequent."""

from __future__ import annotations

SIGMAS = 5.0


def check_uniform(counts: list[int]) -> None:
    """Assert that each count is within some standard deviations of an equal share."""
    total, share = sum(counts), 1 / len(counts)
    sigma = (total * share * (1 - share)) ** 0.5
    for count in counts:
        assert abs(count - total * share) < SIGMAS * sigma
