"""Playing at a server from a terminal."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from perudo.terminal.online import play_online
from server.kit import settings_for, site


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
        return "1x2" if "Bid: nothing" in asked[-1] else "dudo"

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
