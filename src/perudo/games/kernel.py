"""Compilation of kernels: the decorator, its cache, and the interpreted mode.

Code that must be fast is a plain function over records and small arrays, decorated with
``@kernel``. numba compiles it once and keeps the machine code in a cache directory. With
``NUMBA_DISABLE_JIT=1`` the same functions run as ordinary Python, under a debugger or a coverage
tool; numba is then not even imported, which also makes short commands start quickly.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from perudo.games.sources import Sources, in_games

Function = TypeVar("Function", bound=Callable[..., Any])

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
"""True when kernels run as ordinary Python."""

_PACKAGE = Path(__file__).resolve().parents[1]
_KEPT_CACHES = 3
"""The number of caches of other code versions to keep, for switching between branches."""


def source_fingerprint(module: str = "perudo.games") -> str:
    """Return a hash of the sources that a module's kernels are compiled from.

    numba notices only changes in a function's own file: if a callee in another file changed, the
    old machine code would run. The names of cache directories therefore have this hash. For a
    module of the games it covers all games, since operations are found by record type; for other
    modules of the package, the modules that they import; for modules outside, the whole package.
    """
    return _sources().fingerprint(module)


@functools.cache
def _sources() -> Sources:
    return Sources(_PACKAGE)


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def cache_directory() -> Path:
    """Return the directory of compiled kernels, in ``PERUDO_CACHE_DIR`` or the user's cache.

    If it is not writable, fall back to a temporary directory of this user.
    """
    home = os.environ.get("PERUDO_CACHE_DIR") or Path(
        os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "perudo"
    )
    fingerprint = f"kernels-{source_fingerprint()}"
    directory = Path(home, fingerprint)
    if not _writable(directory):
        directory = Path(tempfile.gettempdir(), f"perudo-{os.getuid()}", fingerprint)
        directory.mkdir(parents=True, exist_ok=True)
    return directory


def forget_old_caches() -> None:
    """Delete the caches of other code versions, except the most recent few."""
    current = cache_directory()
    old = [path for path in current.parent.glob("kernels-*") if path != current]
    old.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in old[_KEPT_CACHES:]:
        shutil.rmtree(path, ignore_errors=True)


@functools.cache
def module_cache(module: str) -> Path:
    """Return the directory of a module's kernels, within ``cache_directory``."""
    if in_games(module):
        return cache_directory()
    name = module if module.startswith("perudo.") else "elsewhere"
    return cache_directory() / f"{name}-{source_fingerprint(module)}"


if INTERPRETED:
    # Hashing relies on 64-bit arithmetic that wraps around, which NumPy scalars warn about.
    np.seterr(over="ignore")

    def kernel(function: Function) -> Function:
        """Return the function unchanged, in interpreted mode."""
        return function

    inlined = kernel

    def copy_bytes(target: Any, source: Any, size: int) -> None:
        """Copy a record over another; bytes beyond ``size`` must be equal already."""
        for name in target.dtype.names:
            target[name] = source[name]

    def record_size(record: Any) -> int:
        """Return the size of a record in bytes."""
        return int(record.nbytes)

    def now() -> float:
        """Return the time of a monotonic clock, in seconds."""
        return time.monotonic()

else:
    import numba
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    # Kernels release the GIL, so that threads can run several at once.
    _OPTIONS = {"cache": True, "error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}

    def kernel(function: Function) -> Function:
        """Compile the function on first use, and cache the machine code."""
        numba.config.CACHE_DIR = str(module_cache(function.__module__))
        return cast(Function, numba.njit(**_OPTIONS)(function))

    def inlined(function: Function) -> Function:
        """Compile the function into its callers, for the few functions that every round runs.

        A call costs about 5 ns, so ten of them would take half the time of a random round.
        """
        numba.config.CACHE_DIR = str(module_cache(function.__module__))
        return cast(Function, numba.njit(**_OPTIONS, forceinline=True)(function))

    def callback(function: Any, signature: Any) -> Any:
        """Compile a kernel for one signature, to be called by its ``address``."""
        numba.config.CACHE_DIR = str(module_cache(function.__module__))
        return numba.cfunc(signature, cache=True, error_model="numpy")(function.py_func)

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def copy_bytes(typing_context: Any, target: Any, source: Any, size: Any) -> Any:
        """Copy the first ``size`` bytes of a record over those of another.

        Plain assignment goes through a value as large as the record, and takes 700 ns where this
        takes 30 (measured for 1.7 kB).
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            to, origin, count = arguments
            count = context.cast(builder, count, signature.args[2], types.intp)
            cgutils.raw_memcpy(builder, to, origin, count, 1)
            return context.get_dummy_value()

        return types.none(target, source, size), generate

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def record_size(typing_context: Any, record: Any) -> Any:
        """Return the size of a record in bytes."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return context.get_constant(types.intp, record.size)

        return types.intp(record), generate

    @intrinsic  # type: ignore[untyped-decorator]  # numba ships no types
    def now(typing_context: Any) -> Any:
        """Return the time of a monotonic clock, in seconds."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            whole, number = ir.IntType(64), ir.IntType(32)
            clock = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(number, [number, whole.as_pointer()]),
                "clock_gettime",
            )
            pair = cgutils.alloca_once(builder, ir.ArrayType(whole, 2))
            at = builder.bitcast(pair, whole.as_pointer())
            builder.call(clock, [number(time.CLOCK_MONOTONIC), at])
            seconds = builder.sitofp(builder.load(at), ir.DoubleType())
            rest = builder.load(builder.gep(at, [number(1)]))
            parts = builder.fmul(builder.sitofp(rest, ir.DoubleType()), ir.DoubleType()(1e-9))
            return builder.fadd(seconds, parts)

        return types.float64(), generate
