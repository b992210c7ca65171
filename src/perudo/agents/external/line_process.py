"""A child process that reads and writes lines, with a time limit on every exchange.

One loop serves its standard input, output and error, so that a program that writes too much, or
reads too little, cannot block this one.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence

from perudo.games.errors import PerudoError

GRACE_SECONDS = 5.0
"""Seconds for a program to exit once its input is closed, and again after SIGTERM."""
STDERR_TAIL_BYTES = 2000
"""Bytes of its standard error that are kept."""
LONGEST_LINE = 1 << 20
"""Default limit for a line, in bytes; a program that writes more does not write lines."""
CHUNK = 1 << 16
LONGEST_WAIT_SECONDS = 3600.0
"""Longest single wait; without a time limit there are many."""


class ProcessError(PerudoError):
    """Failure of a program to do its part of the conversation, as the message explains."""


class LineProcess:
    """A running program, in a process group of its own.

    It ends, with all processes it has started, on ``end``, when it fails, or at the latest when
    this object is collected or this process exits.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        longest_line: int = LONGEST_LINE,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Start the program, with ``settings`` added to this process's environment."""
        self._longest_line = longest_line
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, **(settings or {})},
            )
        except OSError as error:
            raise ProcessError(f"cannot be started: {error.strerror}") from None
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._input, self._output, complaints = (pipe.fileno() for pipe in pipes if pipe)
        for descriptor in (self._input, self._output, complaints):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._poll.register(complaints, select.POLLIN)
        self._read = bytearray()
        self._stderr = bytearray()
        self._output_open = True
        self._finalizer = weakref.finalize(self, _end, self._process)

    @property
    def pid(self) -> int:
        """The id of the process, and of its process group."""
        return self._process.pid

    def write(self, line: str, seconds: float) -> None:
        """Write a line to the program."""
        self._write(line.encode() + b"\n", time.monotonic() + seconds, seconds)

    def ask(self, line: str, seconds: float) -> str:
        """Write a line, and return the line that the program answers."""
        deadline = time.monotonic() + seconds
        self._write(line.encode() + b"\n", deadline, seconds)
        return self._read_line(deadline, seconds)

    def read(self, seconds: float) -> str:
        """Return the next line from the program."""
        return self._read_line(time.monotonic() + seconds, seconds)

    def stderr_tail(self) -> str:
        """Return the last lines of its standard error read so far, joined to one line."""
        lines = self._stderr.decode(errors="replace").splitlines()[-5:]
        return " | ".join(line.strip() for line in lines if line.strip())

    def explain_exit(self) -> str:
        """End the program, and return a phrase that says how it ended."""
        gone = _exits_within(self._process, GRACE_SECONDS)
        self.end(at_once=True)
        code = self._process.returncode
        if not gone:
            return "closed its standard output"
        if code < 0:
            return f"was killed by signal {-code} ({signal.strsignal(-code)})"
        return f"ended with exit code {code}"

    def end(self, *, at_once: bool = False) -> None:
        """Close its input, give it a moment to exit, and kill the rest of its process group."""
        if self._finalizer.detach():
            _stop(self._process, at_once)
            self._listen(0.0)
            _close_pipes(self._process)

    # --- reading and writing --------------------------------------------------------------------
    def _write(self, data: bytes, deadline: float, seconds: float) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._input, view) :]
            except BlockingIOError:
                self._wait_to_write(deadline, seconds)
            except OSError:  # the program has closed its input
                raise ProcessError(self.explain_exit()) from None

    def _wait_to_write(self, deadline: float, seconds: float) -> None:
        """Wait until the program reads on, reading its output meanwhile."""
        self._poll.register(self._input, select.POLLOUT)
        try:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise ProcessError(f"did not read its input for {seconds:g} s")
            self._listen(remaining)
        finally:
            self._poll.unregister(self._input)

    def _read_line(self, deadline: float, seconds: float) -> str:
        searched = 0
        while (cut := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if searched > self._longest_line:
                raise ProcessError(f"wrote a line of more than {self._longest_line} bytes")
            if not self._output_open:
                raise ProcessError(self.explain_exit())
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise ProcessError(f"did not answer within {seconds:g} s")
            self._listen(remaining)
        line = bytes(self._read[:cut])
        del self._read[: cut + 1]
        try:
            return line.decode()
        except UnicodeDecodeError:
            raise ProcessError(f"wrote a line that is not UTF-8: {line[:40]!r}") from None

    def _listen(self, seconds: float) -> None:
        """Read the program's output, waiting up to ``seconds`` for some."""
        for descriptor, _ in self._poll.poll(1000 * min(seconds, LONGEST_WAIT_SECONDS)):
            if descriptor == self._input:
                continue
            try:
                data = os.read(descriptor, CHUNK)
            except BlockingIOError:  # a spurious wake-up
                continue
            if descriptor == self._output:
                self._read += data
            else:
                self._stderr = (self._stderr + data)[-STDERR_TAIL_BYTES:]
            if not data:
                self._poll.unregister(descriptor)
                self._output_open = self._output_open and descriptor != self._output


def _exits_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Return True if a process exits in time.

    The process is not reaped, so that no other process can take its id, which is also its group's.
    """
    deadline = time.monotonic() + seconds
    pause = 0.0005
    while True:
        if hasattr(os, "waitid"):
            look = os.WEXITED | os.WNOHANG | os.WNOWAIT
            gone = os.waitid(os.P_PID, process.pid, look) is not None
        else:  # macOS before Python 3.13
            gone = process.poll() is not None
        if gone or time.monotonic() >= deadline:
            return gone
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def _end(process: subprocess.Popen[bytes]) -> None:
    _stop(process, at_once=True)
    _close_pipes(process)


def _stop(process: subprocess.Popen[bytes], at_once: bool) -> None:
    """End a process and its group: close its input, then send SIGTERM, then SIGKILL."""
    assert process.stdin
    process.stdin.close()
    if at_once or not _exits_within(process, GRACE_SECONDS):
        _signal_group(process, signal.SIGTERM)
        _exits_within(process, GRACE_SECONDS)
    _signal_group(process, signal.SIGKILL)  # also kills what the program has left running
    process.wait()


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdout, process.stderr):
        assert stream
        stream.close()


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
