"""The kernel cache, and what is refused when a game is registered."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from perudo.games import kernel
from perudo.games.game import game_named, register
from perudo.games.perudo import PERUDO, PerudoGame


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_changed_game_changes_the_cache_of_every_module() -> None:
    assert kernel.module_cache("perudo.agents.agent").parent == kernel.cache_directory()


def test_a_cache_that_cannot_be_written_falls_back_to_a_temporary_one(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    printed = run_python(
        "from perudo.games.kernel import cache_directory; print(cache_directory())",
        PERUDO_CACHE_DIR=str(blocked / "cache"),
        TMPDIR=str(tmp_path),
        NUMBA_DISABLE_JIT="1",
    )
    assert Path(printed).is_dir()
    assert Path(printed).is_relative_to(tmp_path)


def test_old_caches_are_forgotten_but_for_a_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERUDO_CACHE_DIR", str(tmp_path))
    current = kernel.cache_directory()
    for number in range(6):
        old = tmp_path / f"kernels-{number:016x}"
        old.mkdir()
        os.utime(old, (number, number))
    kernel.forget_old_caches()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert current.name in left
    assert len(left) == 4
    assert "kernels-0000000000000005" in left


def test_interpreted_mode_does_not_load_the_compiler() -> None:
    code = "import sys, perudo.games; print('numba' in sys.modules)"
    assert run_python(code, NUMBA_DISABLE_JIT="1") == "False"
    assert run_python(code, NUMBA_DISABLE_JIT="0") == "True"


@pytest.mark.parametrize(
    "fields, problem",
    [
        ([("spare", "i1"), ("round", "i1")], "cannot have a field round"),
        ([name for name in PERUDO.dtype.descr if name[0]], "same fields"),
    ],
)
def test_records_that_would_cause_trouble_are_refused(fields: list[Any], problem: str) -> None:
    class Other(PerudoGame):
        __module__ = "perudo.games.other"
        name = "other"
        dtype = PERUDO.dtype if problem == "same fields" else np.dtype((np.record, fields))

    with pytest.raises(TypeError, match=problem):
        register(Other())


def test_padding_is_refused() -> None:
    class Padded(PerudoGame):
        __module__ = "perudo.games.padded"
        name = "padded"
        dtype = np.dtype([("a", "i1"), ("b", "i8")], align=True)

    with pytest.raises(TypeError, match="padding"):
        register(Padded())


def test_games_are_found_by_name() -> None:
    assert game_named("perudo") is PERUDO
    with pytest.raises(ValueError, match="unknown game 'go'; there are: "):
        game_named("go")


def test_a_changed_game_of_a_user_is_compiled_anew(tmp_path: Path) -> None:
    """Its record type follows its source, so that no old machine code is taken from the cache."""
    example = Path(__file__).parents[2] / "examples" / "kuhn_poker.py"
    source = example.read_text(encoding="utf-8")
    counted = []
    for bets in ("return 2", "return 1"):  # in the second, nobody can bet
        text, changes = re.subn(r"(def action_count.*\n.*\n    )return 2", rf"\g<1>{bets}", source)
        assert changes == 1
        (tmp_path / "poker.py").write_text(text, encoding="utf-8")
        code = (
            "import sys; sys.path.insert(0, sys.argv[1]); import poker; "
            "from perudo.games.perft import perft; game = poker.KUHN_POKER; "
            "print(perft(game.start(game.setting('standard'), 2)).decision_nodes)"
        )
        counted.append(run_python(code.replace("sys.argv[1]", repr(str(tmp_path)))))
    assert counted == ["24", "12"]
