"""Tables that nobody uses leave the server's memory."""

from __future__ import annotations

import asyncio
import gc
import weakref
from pathlib import Path

from perudo.server.rooms.lobby import SLEEP_SECONDS
from server.world import Follower, awaited, play_of, world


def test_a_table_that_sleeps_is_freed_at_once_without_the_garbage_collector(tmp_path: Path) -> None:
    async def run() -> None:
        async with world(tmp_path) as here:
            (ada,) = await here.guests(1)
            ai = {"kind": "ai", "agent": "observer"}
            room = await here.table(ada, [{"kind": "open"}, ai], rules="common:dice=1", pace=0)
            follower = Follower(ada)
            await here.open(room, follower)
            await here.do(room, ada, "sit")
            for _ in range(200):
                if room.table.status == "finished":
                    break
                await here.settle(room, 5.0)
                if room.table.playing is not None and 0 in awaited(room):
                    action = (
                        "dudo" if "dudo" in play_of(room).legal(0) else play_of(room).legal(0)[0]
                    )
                    await here.do(room, ada, "action", id=room.table.question, action=action)
            assert room.table.status == "finished"
            id, gone = room.table.id, weakref.ref(room)
            room.let_go(follower)
            await here.settle(room)
            here.clock.seconds += SLEEP_SECONDS + 1.0
            del room
            await here.lobby._look_once()
            assert here.lobby.find(id) is None
            await asyncio.sleep(0)
            assert gone() is None

    gc.disable()
    try:
        asyncio.run(run())
    finally:
        gc.enable()
