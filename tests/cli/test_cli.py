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
from typing import Any

import pytest

from perudo.agents import AGENTS
from perudo.cli.app import COMMANDS, command_named
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
    "illegal bid": (["position", "uk 11/22/33 C 3x3,2x3"], "is not possible here"),
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
    "one agent": (["match", "random"], "1 players cannot play"),
    "unknown contestant": (["match", "random", "nobody"], "unknown agent 'nobody'"),
    "unknown parameter": (["match", "random", "dumb:speed=3"], "dumb has no parameter 'speed'"),
    "parameter out of range": (["match", "random", "dumb:prob=3"], "prob=3 is out of range"),
    "parameter that is no number": (["match", "random", "dumb:prob=x"], "should be a number"),
    "no such mode": (["match", "random", "random", "--mode", "hands"], "mode is games or rounds"),
    "no such agent file": (["match", "none.py:Me", "random"], "none.py"),
    "no such command": (["match", "cmd:/nonexistent/bot", "random"], "/nonexistent/bot"),
    "agent that cannot play it": (
        ["match", "dumb", "dumb", "dumb", "--game", "king_up"],
        "dumb plays perudo, not king_up",
    ),
    "dice for too few": (["match", "random", "random", "--dice", "1,2,3"], "3 dice counts"),
    "unknown agent to show": (["agents", "nobody"], "unknown agent 'nobody'"),
    "no such variant": (["solve", "--variant", "magic"], "--variant is one of cfr"),
    "too large to solve": (["solve", "--rules", "common", "--dice", "5,5"], "public positions"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_gets_one_clear_line_and_exit_code_2(case: str) -> None:
    arguments, message = BAD_INPUT[case]
    done = perudo(*arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr + done.stdout


def test_help_lists_every_command() -> None:
    shown = perudo("--help").stdout
    for name, (_, summary) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(summary)}$", shown, re.MULTILINE), name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_begins_its_help_with_its_summary_and_explains_every_option(
    name: str,
) -> None:
    command = command_named(name)
    assert (command.help or "").startswith(COMMANDS[name][1])
    subcommands = getattr(command, "commands", {}).values()
    for each in (command, *subcommands):
        assert all(getattr(option, "help", None) for option in each.params), each.name


def test_a_mistyped_command_gets_a_suggestion() -> None:
    assert "'plya'. Did you mean 'play'?" in perudo("plya").stderr


RECORD = Path(__file__).parents[1] / "golden" / "records" / "perudo-1-official.jsonl"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["rules"],
        ["position", "uk 11246/334/1 C 4x4,5x4"],
        ["verify", str(RECORD)],
        ["match", "--help"],
    ],
)
def test_short_commands_load_neither_the_compiler_nor_the_server(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom perudo.cli import main\ntry:\n    main()\nexcept SystemExit:\n    pass\n"
        "found = {'numba', 'perudo.server', 'sqlalchemy', 'fastapi'} & set(sys.modules)\n"
        "print(sorted(found), file=sys.stderr)"
    )
    environment = {name: os.environ[name] for name in os.environ if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert done.stdout
    assert done.stderr == "[]\n"


def test_rules_lists_presets_and_options() -> None:
    listed = json.loads(perudo("rules", "--json").stdout)
    assert len(listed["presets"]) == 12
    assert listed["presets"]["uk"]["options"]["calza_who"] == "any_but_next"
    assert listed["options"]["palafico"] == ["off", "automatic", "declared"]
    assert "asmodee" in perudo("rules").stdout
    assert "raise_rule" in perudo("rules", "asmodee").stdout


def test_the_table_of_the_rules_is_what_the_command_prints() -> None:
    document = (Path(__file__).parents[2] / "docs" / "rules.md").read_text(encoding="utf-8")
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
    record = Path(__file__).parents[1] / "golden" / "records" / "perudo-1-official.jsonl"
    done = perudo("verify", str(record))
    assert done.returncode == 0
    assert "calza" in done.stdout
    assert done.stdout.splitlines()[-2:] == [
        "117 events replay exactly",
        "the record has no commitment to its dice: they cannot be checked",
    ]
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
    parts = ("rounds", "matches", "rollouts", "decisions")  # solving takes minutes
    chosen = [word for part in parts for word in ("--section", part)]
    done = perudo("bench", "--json", "--seconds", "0.1", *chosen, interpreted=False)
    result = json.loads(done.stdout)
    for part in parts:
        assert all(rate > 0 for rate in result[part]["rates"].values()), part
    assert {"common_2x5", "common_4x5"} <= set(result["rounds"]["rates"])
    assert {"mcts-random", "mcts-observer"} == set(result["rollouts"]["rates"])
    assert set(result["decisions"]["rates"]) == set(AGENTS) - {"human", "cfr"}
    pytest.importorskip("pyspiel", reason="OpenSpiel comes with the extra 'peers'")
    assert result["rounds"]["ratios"]


def test_warm_says_how_long_it_took() -> None:
    done = perudo("warm", "--json", interpreted=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["seconds"] >= 0


# --- matches ------------------------------------------------------------------------------------
MATCH = ("match", "probabilistic", "observer", "--rules", "s0_sim", "--mode", "rounds")


def test_a_match_prints_what_the_design_promises() -> None:
    done = perudo(*MATCH, "--games", "2000", "--json", interpreted=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    result = json.loads(done.stdout)
    assert result["rules"] == "s0_sim"
    assert result["games"] == 2000
    assert result["reproducible"] is True
    for agent in result["agents"]:
        for name in (
            *("agent", "wins", "win_rate", "ci95", "call_accuracy", "rounds_lost"),
            *("lost_by_high_bid", "lost_by_early_dudo", "mean_dice_left_when_won"),
            "mean_ms_per_decision",
        ):
            assert name in agent
    first, second = result["agents"]
    assert first["agent"] == "probabilistic"
    assert first["win_rate"] < 0.4 < 0.6 < second["win_rate"]


def test_a_match_is_the_same_on_any_number_of_workers() -> None:
    def played(workers: str) -> Any:
        done = perudo(*MATCH, "--games", "500", "--workers", workers, "--json", interpreted=False)
        result = json.loads(done.stdout)
        for timing in ("seconds", "games_per_second"):
            del result[timing]
        for agent in result["agents"]:
            del agent["mean_ms_per_decision"], agent["max_ms_per_decision"]
        return result

    assert played("1") == played("2")


def test_a_match_as_a_table() -> None:
    done = perudo(*MATCH, "--games", "50", "--by-seat", interpreted=False)
    assert "50 rounds of s0_sim" in done.stdout
    assert "win rate in seat" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80


def test_classes_and_programs_meet() -> None:
    example = Path(__file__).parents[2] / "examples"
    done = perudo(
        *("match", f"{example / 'my_agent.py'}:Careful", f"cmd:{sys.executable} {example}/bot.py"),
        *("observer", "--games", "3", "--json"),
        interpreted=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 3


@pytest.mark.parametrize(
    "body, complaint",
    [
        ("raise ValueError('too hard')", "raised ValueError: too hard"),
        ("return 'banana'", "'banana' is not an action"),
        ("return '99x9'", "99x9"),
        ("while True: pass", "did not answer within 1 s"),
    ],
)
def test_a_bad_agent_ends_the_match_with_one_line(
    tmp_path: Path, body: str, complaint: str
) -> None:
    """It plays well until its twentieth decision, so something has been played by then."""
    source = f"""
class Bad:
    decisions = 0

    def decide(self, observation, memory, stream):
        Bad.decisions += 1
        if Bad.decisions > 20:
            {body}
        return observation.legal_actions[-1]
"""
    (tmp_path / "bad.py").write_text(source)
    seconds = "1" if "did not answer" in complaint else "30"  # others may be slow on a busy machine
    done = perudo(
        *("match", f"{tmp_path / 'bad.py'}:Bad", "random", "--games", "200", "--timeout", seconds),
        *("--rules", "common:dice=1", "--json"),
        interpreted=False,
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "bad.py:Bad" in done.stderr
    assert complaint in done.stderr
    assert "in position 'common:dice=1 " in done.stderr
    result = json.loads(done.stdout)
    assert 0 < result["games"] < 200
    assert complaint in result["failure"]


def test_classes_and_programs_sit_down_with_a_person() -> None:
    example = Path(__file__).parents[2] / "examples"
    against = f"{example / 'my_agent.py'}:Careful:courage=0.6,cmd:{sys.executable} {example}/bot.py"
    arguments = ("play", "--rules", "common", "--against", against, "--seed", "1", "--plain")
    done = perudo(*arguments, typed="15x6\n" * 40, interpreted=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "Careful" in done.stdout
    assert "bot.py" in done.stdout


def test_ctrl_c_prints_what_was_played() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "perudo", "match", "observer", "observer", "--games", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        time.sleep(12)
        process.send_signal(signal.SIGINT)
        printed, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "observer" in printed
    assert "interrupted after" in complaint


def test_agents_are_listed_with_their_parameters() -> None:
    listed = {entry["name"]: entry for entry in json.loads(perudo("agents", "--json").stdout)}
    assert set(listed) == set(AGENTS)
    assert listed["dumb"]["parameters"]["prob"] == {"default": 0.25, "range": [0.0, 1.0]}
    assert listed["macleod"]["remembers"]
    assert all(entry["idea"] for entry in listed.values())
    assert "rollouts=0" in perudo("agents", "mcts-random").stdout


def test_solving_prints_value_and_exploitability(tmp_path: Path) -> None:
    kept = tmp_path / "one.strategy"
    done = perudo(
        *("solve", "--rules", "openspiel", "--dice", "1,1", "--target", "0.001", "--json"),
        *("--save", str(kept)),
        interpreted=False,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["exploitability"] <= 0.001
    assert result["value"] == pytest.approx(-7 / 258, abs=2e-3)
    assert result["information_sets"] == 24_576
    assert kept.exists()
