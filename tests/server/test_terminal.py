"""Playing at a server from a terminal."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from perudo.client import ServerError
from perudo.terminal.online import play_online
from server.kit import settings_for, site


def test_a_table_that_is_not_there_ends_the_program(tmp_path: Path) -> None:
    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            with pytest.raises(ServerError, match="no such table"):
                await play_online(
                    here.url, "nowhere", "common", [], None, input_of_nobody, lambda line: None
                )

    asyncio.run(main())


def input_of_nobody() -> str:
    time.sleep(60)
    return ""


def test_a_lost_connection_is_made_again_and_the_game_goes_on(tmp_path: Path) -> None:
    said: list[str] = []

    answered = 0

    def read() -> str:
        nonlocal answered
        while len(asked := [line for line in said if line.startswith("your turn")]) == answered:
            if any("won the game" in line for line in said):
                raise EOFError
            time.sleep(0.01)
        answered = len(asked)
        return "1x2" if "No bid yet" in asked[-1] else "dudo"

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            playing = asyncio.create_task(
                play_online(here.url, None, "common:dice=2", ["random"], "Ada", read, said.append)
            )
            for _ in range(3):
                while not here.server.connections:
                    await asyncio.sleep(0.01)
                next(iter(here.server.connections)).close(1012)  # as when a server is restarted
                while here.server.connections:
                    await asyncio.sleep(0.01)
            assert await asyncio.wait_for(playing, 60) == 0

    asyncio.run(main())
    assert said[-1].endswith("won the game.")
    rounds = [line for line in said if line.startswith("round ")]
    assert len(rounds) == len(set(rounds))  # what was told is not told again


def test_a_person_plays_online_from_a_terminal(tmp_path: Path) -> None:
    said: list[str] = []
    wishes = iter(["legal", "nonsense"])

    answered = 0

    def read() -> str:
        """Types something when asked, and then always doubts, or bids the least."""
        nonlocal answered
        while (asked := [s for s in said if s.startswith(("your turn", "exactly"))])[
            answered:
        ] == []:
            if any("won the game" in line for line in said):
                raise EOFError
            time.sleep(0.01)
        typed = next(wishes, None)
        if typed is not None:
            return typed
        answered = len(asked)
        return "1x2" if "No bid yet" in asked[-1] else "dudo"

    async def main() -> None:
        async with site(settings_for(tmp_path)) as here:
            playing = play_online(
                here.url, None, "common:dice=2", ["random"], "Ada", read, said.append
            )
            assert await asyncio.wait_for(playing, 60) == 0

    asyncio.run(main())
    assert any(line.startswith("you: ") for line in said)
    assert any("is not an action" in line for line in said)
    assert any(line.startswith("your dice: ") for line in said)
    assert said[-1].endswith("won the game.")
