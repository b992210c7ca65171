"""The examples for learners do what they say."""

from __future__ import annotations

import os

import batched_learner
import pytest

try:
    import openspiel_bot
except ImportError:
    if os.environ.get("CI"):
        raise
    openspiel_bot = None  # type: ignore[assignment]


def test_the_linear_policy_learns_to_win() -> None:
    progress = batched_learner.train(500, lanes=64)
    assert len(progress) == 10
    assert progress[-1] > progress[0] + 0.1
    assert progress[-1] > 0.3
    assert batched_learner.train(20, lanes=4) == batched_learner.train(20, lanes=4)


@pytest.mark.skipif(openspiel_bot is None, reason="needs pip install 'perudo[peers]'")
def test_their_bot_meets_our_agent() -> None:
    series = ("common", 1, "observer", 4, 4, 1)
    wins = openspiel_bot.play(*series)
    assert 0 <= wins <= 4
    assert openspiel_bot.play(*series) == wins
