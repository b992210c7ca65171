"""The work that a room's task is asked to do, one thing after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from perudo.games.errors import PerudoError
from perudo.server.errors import Refused

Work = Callable[[], Awaitable[Any]]
Job = tuple[Work, asyncio.Future[Any] | None]
"""Work, and the future of its result, if it is awaited."""


class Inbox:
    """Work in the order of its arrival; some of it is awaited by whoever asked for it."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[Job] = asyncio.Queue()

    async def perform(self, work: Work) -> Any:
        """Wait until the work is done, and return what it returns or raises."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((work, done))
        return await done

    def post(self, work: Work) -> None:
        """Add work that nobody waits for."""
        self._waiting.put_nowait((work, None))

    async def do_next(self, timeout: float | None) -> bool:
        """Do the next work; return False if none arrives in time."""
        try:
            work, done = await self._next(timeout)
        except TimeoutError:
            return False
        if done is not None and done.cancelled():
            return True
        try:
            result = await work()
        except PerudoError as error:
            if done is None:
                raise
            done.set_exception(error)
        except BaseException:
            if done is not None and not done.done():
                done.set_exception(Refused("try_again", "the table could not be stored; try again"))
            raise
        else:
            if done is not None and not done.done():
                done.set_result(result)
        return True

    async def _next(self, timeout: float | None) -> Job:
        if not self._waiting.empty():
            return self._waiting.get_nowait()
        if timeout == 0.0:
            raise TimeoutError
        async with asyncio.timeout(timeout):
            return await self._waiting.get()

    def refuse_all(self) -> None:
        """Refuse what is waiting, since the table is loaded again."""
        while not self._waiting.empty():
            _, done = self._waiting.get_nowait()
            if done is not None and not done.done():
                done.set_exception(Refused("try_again", "the table is being loaded again"))
