"""Compiled, interpreted and warm kernels play alike.

Run as a program, this file prints the fingerprint of a fixed set of matches, which the tests
compare between compiled and interpreted processes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from perudo.games.chance import below, key_of, stream_of
from perudo.games.kernel import INTERPRETED
from perudo.games.operations import CHANCE, MATCH, OVER, ROUND
from perudo.games.perudo import (
    PERUDO,
    Rules,
)
from perudo.games.perudo.layout import (
    STATE_DTYPE,
)
from perudo.games.playout import random_games

# --- compiled, interpreted, warm -----------------------------------------------------------------
FINGERPRINTED = (
    "official",
    "s0_sim",
    "common",
    "common_aces",
    "common_palafico",
    "asmodee",
    "wikipedia",
    "openspiel",
    "official:palafico=declared,two_player_palafico=full,loss=difference,calza_after_pass=yes",
    "official:dice=8,consecutive_pass=yes,pass_on_opening=yes,calza_reward=die_and_others_lose",
    "dudo_ai:max_players=10,start_mode=random,exact_bid_doubted=all_others_lose",
)


def fingerprint() -> str:
    """A hash of every state of some matches, with all that the operations say about each."""
    digest = hashlib.sha256()
    operations = PERUDO.operations
    for number, text in enumerate(FINGERPRINTED):
        rules = Rules.parse(text)
        players = min(rules.max_players, 2 + number % 3)
        state = PERUDO.start(rules, players)
        stream, key = stream_of(number), key_of(number, 1)
        record = state.record
        while operations.actor(record) != OVER:
            if operations.actor(record) == CHANCE:
                other = record.copy()
                operations.chance_outcome(other, 12345)
                digest.update(other.tobytes())
                operations.deal(record, key)
            seat = int(operations.actor(record))
            other = record.copy()
            operations.redeal(other, seat, stream)
            digest.update(other.tobytes())
            operations.copy(other, record)
            operations.observe(other, seat)
            digest.update(other.tobytes())
            digest.update(b"%d" % int(operations.information_key(record, seat)))
            count = int(operations.action_count(record))
            code = int(operations.action(record, int(below(stream, count))))
            digest.update(b"%d %d %d" % (count, code, operations.refusal(record, code + 1)))
            operations.apply(record, code)
            digest.update(record.tobytes())
            if operations.round_over(record):
                for place in range(players):
                    digest.update(b"%.6f" % operations.payoff(record, ROUND, place))
        digest.update(b"%.6f" % operations.payoff(record, MATCH, 0))
        digest.update(state.deal(5).notation.encode())
        for horizon in (ROUND, MATCH):
            states = np.zeros(2, STATE_DTYPE)
            states[0] = state.record
            digest.update(b"%d" % random_games(states, horizon, 2, key, stream))
            digest.update(states.tobytes())
        small = PERUDO.start(rules, players, [1] * players)
        digest.update(b"%d" % int(operations.chance_count(small.record)))
    return digest.hexdigest()


def fingerprint_of_another_process(**environment: str) -> str:
    """Run this file as a program."""
    paths = os.pathsep.join(path for path in sys.path if path)
    result = subprocess.run(
        [sys.executable, str(Path(__file__).resolve())],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_interpreted_play_is_the_same() -> None:
    other = "0" if INTERPRETED else "1"
    assert fingerprint() == fingerprint_of_another_process(NUMBA_DISABLE_JIT=other)


def test_a_second_process_runs_the_kernels_that_the_first_compiled() -> None:
    """Loading machine code from the cache is a path of its own."""
    assert fingerprint() == fingerprint_of_another_process()


if __name__ == "__main__":
    print(fingerprint())
