"""PostgreSQL and Redis for tests: started on loopback, ended with the test.

What is not installed is installed with apt where that is possible; otherwise the tests say why they
are skipped, and in CI they fail.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from server.kit import free_port

START_SECONDS = 60.0


def give_up(reason: str) -> NoReturn:
    """Skip loudly; in CI fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def install(package: str) -> None:
    """Install a Debian package, if this is root on Debian."""
    if os.getuid() != 0 or shutil.which("apt-get") is None:
        give_up(f"{package} is not installed, and only root can install it with apt")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-q"], env=environment, capture_output=True, check=False)
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", package]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        give_up(f"{package} cannot be installed: {done.stderr[-200:]}")


def postgres_programs() -> Path:
    """Return the directory of PostgreSQL's programs."""
    for attempt in range(2):
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if found:
            return found[-1].parent
        if shutil.which("initdb"):
            return Path(str(shutil.which("initdb"))).parent
        if attempt == 0:
            install("postgresql")
    give_up("PostgreSQL's programs are not where they are expected")


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server; yields the address of its first database."""
    programs, port = postgres_programs(), free_port()
    place = Path(tempfile.mkdtemp(prefix="perudo-postgres-"))
    user: list[str] = []
    if os.getuid() == 0:  # PostgreSQL refuses to be run by root
        shutil.chown(place, "postgres", "postgres")
        user = ["runuser", "-u", "postgres", "--"]
    data = str(place / "data")
    initialise = [str(programs / "initdb"), "-D", data, "-U", "perudo", "--auth=trust", "-N"]
    subprocess.run([*user, *initialise], check=True, capture_output=True, cwd="/")
    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={place}"
    server = subprocess.Popen(
        [*user, str(programs / "postgres"), "-D", data, *options.split()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        start_new_session=True,
    )
    try:
        ready = [str(programs / "pg_isready"), "-h", "127.0.0.1", "-p", str(port), "-q"]
        wait_for(lambda: subprocess.run(ready, check=False).returncode == 0)
        yield f"postgresql://perudo@127.0.0.1:{port}/postgres"
    finally:
        stop = [str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "stop"]
        subprocess.run([*user, *stop], check=False, capture_output=True, cwd="/")
        server.wait()
        shutil.rmtree(place)


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis server; yields its address."""
    if shutil.which("redis-server") is None:
        install("redis-server")
    program, port = shutil.which("redis-server"), free_port()
    if program is None:
        give_up("redis-server is not where it is expected")
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd="/", start_new_session=True)
    try:
        wait_for(lambda: _answers(port))
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition: object) -> None:
    """Wait until something holds."""
    assert callable(condition)
    deadline = time.monotonic() + START_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "a service did not start"
        time.sleep(0.05)
