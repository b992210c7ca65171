"""Messages between server processes, over Redis.

Redis may lose messages and does not store any. Each process therefore numbers its messages to each
other process. A process that finds a gap tells the sender, and both synchronise again.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from perudo.games.errors import PerudoError
from perudo.server.cluster.items import Envelope, Item

log = logging.getLogger("perudo.peers")

RETRY_SECONDS = 0.5


def client_of(address: str) -> Any:
    """Return a Redis client for an address."""
    try:
        from redis.asyncio import from_url

        return from_url(address)
    except ModuleNotFoundError:
        raise PerudoError("--redis needs another library: pip install 'perudo[postgres]'") from None
    except ValueError as error:
        raise PerudoError(f"--redis: {error}; use an address like redis://host:6379/0") from None


class Peers:
    """The channel between this process and the others."""

    def __init__(
        self,
        address: str,
        name: str,
        hear: Callable[[str, Item], None],
        lost: Callable[[str], None],
    ) -> None:
        self._client = client_of(address)
        self._name = name
        self._hear = hear
        self._lost = lost
        self._waiting: defaultdict[str, list[Item]] = defaultdict(list)
        self._wanted = asyncio.Event()
        self._sent: Counter[str] = Counter()
        self._heard: Counter[str] = Counter()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Start sending and receiving; returns once the others can reach this process."""
        reachable = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._tell_all()),
            asyncio.create_task(self._hear_all(reachable)),
        ]
        await reachable.wait()

    async def close(self) -> None:
        """Stop sending and receiving."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(OSError):
            await self._client.aclose()

    def tell(self, peer: str, item: Item) -> None:
        """Queue a message for another process, without waiting."""
        self._waiting[peer].append(item)
        self._wanted.set()

    async def _tell_all(self) -> None:
        from redis.exceptions import RedisError

        while True:
            await self._wanted.wait()
            self._wanted.clear()
            waiting, self._waiting = self._waiting, defaultdict(list)
            pipeline = self._client.pipeline(transaction=False)
            for peer, items in waiting.items():
                self._sent[peer] += 1
                envelope: Envelope = {
                    "from": self._name,
                    "number": self._sent[peer],
                    "items": items,
                }
                pipeline.publish(_channel(peer), json.dumps(envelope, separators=(",", ":")))
            try:
                await pipeline.execute()
            except (RedisError, OSError) as error:  # the receiver will find the gap
                log.warning("cannot send messages over Redis: %s", error)

    async def _hear_all(self, reachable: asyncio.Event) -> None:
        from redis.exceptions import RedisError

        while True:
            try:
                async with self._client.pubsub(ignore_subscribe_messages=False) as subscription:
                    await subscription.subscribe(_channel(self._name))
                    async for heard in subscription.listen():
                        if heard["type"] == "subscribe":
                            reachable.set()
                        elif heard["type"] == "message":
                            self._take(json.loads(heard["data"]))
            except (RedisError, OSError) as error:
                log.warning("cannot receive messages over Redis: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    def _take(self, envelope: Envelope) -> None:
        peer, number = envelope["from"], envelope["number"]
        complete = number == self._heard[peer] + 1
        self._heard[peer] = number
        if not complete:
            log.warning("a message from process %s was lost", peer)
            self.tell(peer, {"kind": "gap"})
            self._lost(peer)
        for item in envelope["items"]:
            if item["kind"] == "gap":
                self._lost(peer)
            else:
                self._hear(peer, item)


def _channel(name: str) -> str:
    return f"perudo:{name}"
