"""The command line as a user meets it: in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perudo.record import MatchRecord


def perudo(
    *arguments: str, typed: str = "", interpreted: bool = True, width: int = 80
) -> subprocess.CompletedProcess[str]:
    """Run the command; interpreted unless the compiled path is what is tested: it starts faster."""
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1" if interpreted else "0",
        "COLUMNS": str(width),
        "PYTHONIOENCODING": "utf-8",
    }
    return subprocess.run(
        [sys.executable, "-m", "perudo", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )


BAD_INPUT = {
    "unknown preset": (["rules", "nonsense"], "unknown rules 'nonsense'"),
    "unknown preset in play": (["play", "--rules", "nonsense"], "unknown rules"),
    "unknown option": (["play", "--option", "colour=red"], "unknown rule option 'colour'"),
    "impossible value": (["rules", "uk:dice=9"], "choose 1 to 8"),
    "impossible combination": (
        ["rules", "common_aces:ace_exit_monotone=no"],
        "bidding can go round in circles",
    ),
    "too many players": (
        ["play", "--rules", "dudo_ai", "--against", "random,random"],
        "3 players cannot play",
    ),
    "malformed bid": (["position", "uk 11/22/33 C 3y3"], "'3y3' is not an action"),
    "illegal bid": (["position", "uk 11/22/33 C 3x3,2x3"], "could not be said here"),
    "malformed position": (["position", "uk 11/22"], "is not a position"),
    "malformed dice": (["position", "uk 17/22 A -"], "is not a hand of 2 dice"),
    "unknown game": (["play", "--game", "chess"], "unknown game 'chess'"),
    "unknown agent": (["play", "--against", "nobody"], "unknown agent 'nobody'"),
    "unknown command": (["fly"], "fly"),
    "unknown flag": (["rules", "--colour"], "--colour"),
    "missing argument": (["position"], "Missing argument"),
    "dice that are no number": (["perft", "--dice", "two"], "--dice two should be"),
    "a tree that is too large": (["perft", "--dice", "5"], "too many outcomes"),
    "absent record": (["verify", "/nonexistent/record"], "cannot read"),
    "malformed record": (["verify", __file__], "line 1: not a whole line of JSON"),
    "nowhere to save": (["play", "--save", "/nonexistent/there/x"], "there is no directory"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_gets_one_clear_line_and_exit_code_2(case: str) -> None:
    arguments, message = BAD_INPUT[case]
    done = perudo(*arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr + done.stdout


def test_help_tells_every_command() -> None:
    done = perudo("--help")
    assert done.returncode == 0
    for command in ("play", "rules", "position", "perft", "verify", "bench", "warm"):
        assert command in done.stdout
        assert perudo(command, "--help").returncode == 0


def test_rules_lists_presets_and_options() -> None:
    listed = json.loads(perudo("rules", "--json").stdout)
    assert len(listed["presets"]) == 12
    assert listed["presets"]["uk"]["options"]["calza_who"] == "any_but_next"
    assert listed["options"]["palafico"] == ["off", "automatic", "declared"]
    assert "asmodee" in perudo("rules").stdout
    assert "raise_rule" in perudo("rules", "asmodee").stdout


def test_the_table_of_the_rules_is_what_the_command_prints() -> None:
    document = (Path(__file__).parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- presets -->\n(.*)\n<!-- /presets -->", document, re.DOTALL)
    assert match is not None
    assert match[1] == perudo("rules", "--markdown").stdout.strip()


def test_position_shows_legal_actions_with_exact_odds() -> None:
    shown = json.loads(perudo("position", "uk 11246/334/1 C 4x4,5x4", "--json").stdout)
    assert shown["actor"] == "C"
    odds = {row["action"]: row["chance_right"] for row in shown["actions"]}
    # C holds an ace, so four of eight unseen dice must match: 1 - tail(8, 4, 1/3) = 4864 / 6561
    assert odds["dudo"] == pytest.approx(4864 / 6561)
    assert odds["6x6"] == pytest.approx(577 / 6561)
    assert "3-9x1" not in odds
    text = perudo("position", "uk 11246/334/1 C 4x4,5x4").stdout
    assert "74.1% right" in text
    assert max(map(len, text.splitlines())) <= 80


def test_perft_prints_the_anchor() -> None:
    done = perudo(
        *("perft", "--rules", "openspiel", "--players", "2", "--dice", "1", "--json"),
        interpreted=False,
    )
    counted = json.loads(done.stdout)
    assert counted["decision_nodes"] == 147456
    assert counted["terminal_nodes"] == 147420
    assert counted["information_sets"] == 24576


def test_a_game_is_repeatable_and_kept(tmp_path: Path) -> None:
    typed = "dudo\n1x2\n\n" * 400
    first = perudo("play", "--seed", "3", "--save", str(tmp_path / "a.jsonl"), typed=typed)
    second = perudo("play", "--seed", "3", "--save", str(tmp_path / "b.jsonl"), typed=typed)
    assert first.returncode == second.returncode == 0, first.stderr
    lines = (tmp_path / "a.jsonl").read_text(encoding="utf-8")
    assert lines == (tmp_path / "b.jsonl").read_text(encoding="utf-8")
    assert MatchRecord.load(tmp_path / "a.jsonl").finished
    typed_at = "your call: "  # nobody's Enter ends these lines when input is a pipe
    told = first.stdout.replace(typed_at, f"{typed_at}\n").replace(str(tmp_path), "").splitlines()
    assert max(map(len, told)) <= 80
    assert "\x1b" not in first.stdout  # no colour codes when it is not a terminal


def test_leaving_early_keeps_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "left.jsonl"
    done = perudo("play", "--seed", "3", "--save", str(path), typed="quit\n")
    assert done.returncode == 0
    assert "You left the table" in done.stdout
    assert MatchRecord.load(path, unfinished=True).events
    refused = perudo("verify", str(path))
    assert refused.returncode == 2
    assert "stops before the match has ended" in refused.stderr
    assert perudo("verify", str(path), "--unfinished").returncode == 0


def test_verify_replays_a_record() -> None:
    record = Path(__file__).parent / "golden" / "records" / "perudo-1-official.jsonl"
    done = perudo("verify", str(record))
    assert done.returncode == 0
    assert "calza" in done.stdout
    assert done.stdout.endswith("117 events replay exactly\n")
    assert json.loads(perudo("verify", str(record), "--json").stdout)["finished"]


def test_ctrl_c_leaves_cleanly(tmp_path: Path) -> None:
    path = tmp_path / "interrupted.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "perudo", "play", "--seed", "3", "--save", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        # A shell's background job ignores Ctrl-C and so would what it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    for _ in range(600):
        if path.exists():
            break
        time.sleep(0.1)
    time.sleep(0.3)  # let it get from saving to asking
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "You left the table" in out
    assert err == ""
    assert MatchRecord.load(path, unfinished=True).events


def test_plain_play_speaks_in_sentences() -> None:
    done = perudo("play", "--plain", "--seed", "3", typed="?\nlegal\nodds\n9\n1x2\ndudo\n")
    assert done.returncode == 0
    assert "Round 1." in done.stdout
    assert "Your dice:" in done.stdout
    assert "'9' is not an action" in done.stdout
    assert not set("│─╭╮╰╯▣●") & set(done.stdout)


@pytest.mark.parametrize(
    "game, against, typed",
    [
        (
            "king_up",
            "random,random",
            "place A 0\n" + "yes\nmove A\nmove B\nmove C\nplace B 0\n" * 30,
        ),
        ("rock_paper_scissors", "random", "lizard\nrock\n"),
    ],
)
def test_the_other_games_are_playable(game: str, against: str, typed: str) -> None:
    done = perudo("play", "--game", game, "--against", against, "--seed", "1", typed=typed)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_bench_measures_and_compares() -> None:
    done = perudo("bench", "--json", "--seconds", "0.1", interpreted=False)
    result = json.loads(done.stdout)
    assert all(rate > 0 for rate in result["rates"].values())
    assert {"common_2x5", "common_4x5", "official_turn_calza_4x5"} <= set(result["rates"])
    pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra 'peers'")
    assert result["ratios"]


def test_warm_says_how_long_it_took() -> None:
    done = perudo("warm", "--json", interpreted=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["seconds"] >= 0
