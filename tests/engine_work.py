"""Work for the tests of engines: workers import it from here."""

from __future__ import annotations

import os
import time


def square(number: int) -> tuple[int, int]:
    """The square, and who did it."""
    return number * number, os.getpid()


def slow_square(number: int) -> tuple[int, int]:
    time.sleep(0.02)
    return square(number)


def refuse(number: int) -> int:
    raise ValueError(f"not {number}")
