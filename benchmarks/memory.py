"""Measure the memory of an idle server and its AI processes.

    python benchmarks/memory.py

The script starts a server on loopback with default settings, waits until it has prepared its
levels, and reads the memory of the server and of each process that it has started: resident, and
unique (not shared with another process). The sum counts shared memory once, which is what the
processes need on a machine that runs nothing else of this program. Linux only.
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
"""A server is idle if its processes have used hardly any processor time for this long."""
LONGEST_SECONDS = 600.0


@dataclass(frozen=True)
class Process:
    """A process and its memory in megabytes."""

    pid: int
    command: str
    resident: float
    unique: float


def family(pid: int) -> list[int]:
    """Return the ids of a process and its descendants, started by any of its threads."""
    found = [pid]
    for tasks in Path(f"/proc/{pid}/task").iterdir():
        for child in (tasks / "children").read_text(encoding="ascii").split():
            found += family(int(child))
    return found


def measured(pid: int) -> Process:
    """Return the memory of a process."""
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
    """Return the processor time that processes have used, in clock ticks."""
    used = 0
    for pid in pids:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
        fields = text.rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used


async def run(directory: Path) -> list[Process]:
    """Start a server, wait until it is idle, and measure its processes."""
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
        raise RuntimeError("the server did not become idle")
    finally:
        await server.end()


def main() -> None:
    """Measure, and print a table."""
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
