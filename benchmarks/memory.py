"""The memory of an idle server and the processes of its AIs.

    python benchmarks/memory.py

Starts a server on loopback as it is without settings, waits until it has prepared its levels, and
reads what the server and each process that it has started have in memory: all (resident), and what
no other process shares (unique). The sum counts what they share once, and is what they need on a
machine where nothing else of this program runs. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from fuzz import Watched

QUIET_SECONDS = 3.0
"""A server whose processes have used no processor time for so long is idle."""
LONGEST_SECONDS = 600.0


@dataclass(frozen=True)
class Process:
    """A process and its memory in megabytes."""

    pid: int
    command: str
    resident: float
    unique: float


def family(pid: int) -> list[int]:
    """A process and all that it has started, whichever of its threads did."""
    found = [pid]
    for tasks in Path(f"/proc/{pid}/task").iterdir():
        for child in (tasks / "children").read_text(encoding="ascii").split():
            found += family(int(child))
    return found


def measured(pid: int) -> Process:
    """A process's memory."""
    sizes: dict[str, float] = {}
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    for line in text.splitlines()[1:]:
        name, amount, *_ = line.split()
        sizes[name.rstrip(":")] = int(amount) / 1024
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    command = " ".join(word.decode() for word in words[1:5])
    unique = sizes["Private_Clean"] + sizes["Private_Dirty"]
    return Process(pid, command, sizes["Rss"], unique)


def processor_ticks(pids: list[int]) -> int:
    """What processes have used of the processor."""
    used = 0
    for pid in pids:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        fields = text.rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used


async def run(directory: Path) -> list[Process]:
    """Start a server, wait until it is idle, and measure."""
    server = Watched(directory)
    await server.start()
    try:
        deadline = time.monotonic() + LONGEST_SECONDS
        before = -1
        while time.monotonic() < deadline:
            pids = family(server.pid)
            now = processor_ticks(pids)
            if before >= 0 and now - before <= 3 * len(pids):  # a tick is a hundredth of a second
                return [measured(pid) for pid in pids]
            before = now
            await asyncio.sleep(QUIET_SECONDS)
        raise RuntimeError("the server has always something to do")
    finally:
        await server.end()


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = asyncio.run(run(Path(directory)))
    print("resident  unique  MB")
    for process in found:
        print(f"{process.resident:8.0f}  {process.unique:6.0f}  {process.command}")
    shared = max(process.resident - process.unique for process in found)
    print(f"in all {shared + sum(process.unique for process in found):.0f} MB")


if __name__ == "__main__":
    main()
