"""Programs that play: the examples, and all that a program can do wrong."""

from __future__ import annotations

import gc
import json
import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from perudo import protocol
from perudo.agents import agent_named
from perudo.agents.agent import Agent, Decision
from perudo.agents.external.program import ProgramAgent
from perudo.games.chance import next_word, stream_of
from perudo.games.errors import AgentError, PerudoError
from perudo.games.king_up import KING_UP
from perudo.games.perudo import PERUDO, PRESETS, position
from perudo.table import SeededDice, Table
from strategies import wander

EXAMPLES = Path(__file__).parents[3] / "examples"
PYTHON = f"{shlex.quote(sys.executable)} -S -E"
BOT_PY = f"{PYTHON} {shlex.quote(str(EXAMPLES / 'bot.py'))}"
BOT_JS = f"node {shlex.quote(str(EXAMPLES / 'bot.js'))}"
VIEW = "common 1144/????/???? A 2x3,3x4"

Script = Callable[..., ProgramAgent]

ANSWERING = """
import json, sys, os, time, subprocess
def say(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        question, id = message, message["id"]
        {body}
"""


def decide(agent: Agent, notation: str = VIEW, seed: int = 1) -> str:
    decision = agent.decide(position(notation), agent.new_memory(), stream_of(seed))
    assert isinstance(decision, Decision)
    return str(decision.action)


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Script]:
    """Makes agents of programs given as text, and closes them."""
    made: list[ProgramAgent] = []

    def make(text: str, timeout: float = 20.0) -> ProgramAgent:
        path = tmp_path / f"bot{len(made)}.py"
        path.write_text(text, encoding="utf-8")
        made.append(ProgramAgent(f"{PYTHON} {shlex.quote(str(path))}", timeout))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")  # a zombie waits for its parent, but does not run
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pid: int) -> bool:
    """Return True if a process is gone, or goes within a moment."""
    deadline = time.monotonic() + 10
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_running(pid)


def play(agents: list[Agent], rules: str, seed: int) -> Table:
    """A match as the runner plays it."""
    setting = PERUDO.setting(rules)
    names = [agent.spec for agent in agents]
    table = Table(PERUDO, setting, names, SeededDice(seed))
    streams = [stream_of(seed, 1, seat) for seat in range(len(agents))]
    memories = [agent.new_memory() for agent in agents]
    for seat, agent in enumerate(agents):
        agent.sit(PERUDO, setting, seat, names)
    told = 0
    while True:
        for event in table.record.events[told:]:
            if event["event"] == "result":
                for seat, agent in enumerate(agents):
                    _, view = next(iter(table.story(seat, event["n"] - 1)))
                    agent.learn(view, memories[seat])
            told = event["n"]
        actor = table.actor
        if actor is None:
            break
        answer = agents[actor].decide(table.observe(actor), memories[actor], streams[actor])
        table.act(actor, answer.action)
    for seat, agent in enumerate(agents):
        agent.leave(table.observe(seat))
    return table


# --- programs that play well --------------------------------------------------------------------
@pytest.mark.parametrize("command", [BOT_PY, BOT_JS], ids=["python", "node"])
def test_a_program_plays_matches_with_one_process(command: str) -> None:
    if shutil.which(shlex.split(command)[0]) is None:
        pytest.skip("node is not installed")
    with ProgramAgent(command) as program:
        assert program.pid is None
        pids: set[int | None] = set()
        for seed in range(2):
            table = play([agent_named("random"), program, agent_named("probabilistic")], "uk", seed)
            assert table.over
            pids.add(program.pid)
        assert len(pids) == 1
    (pid,) = pids
    assert pid is not None
    assert program.pid is None
    assert gone(pid)


def test_both_example_programs_are_one_player_and_never_illegal() -> None:
    """Random positions of all presets: both answer the same, and every answer is legal."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    views = [
        position("official ?????/?????/11246 C 3x4,pass"),  # raise, or doubt the pass
        position("official ?????/?????/11246 C 15x6,pass"),
    ]
    for index, preset in enumerate(list(PRESETS) * 25):
        rules = PRESETS[preset].rules
        players = 2 + index % (rules.max_players - 1)
        state = wander(PERUDO.start(rules, players), 1 + index // 3, index)
        state = state.deal(index) if state.awaits_deal else state
        if state.actor is not None:
            views.append(state.observe(state.actor))
    assert len(views) > 150
    assert any(view.actor != view.turn for view in views)
    assert any(view.palafico is not None for view in views)
    with ProgramAgent(BOT_PY) as one, ProgramAgent(BOT_JS) as other:
        for view in views:
            answers = [
                program.decide(view, program.new_memory(), stream_of(1)).action
                for program in (one, other)
            ]
            assert answers[0] == answers[1]
            assert answers[0] in view.legal_actions


def test_an_example_program_does_what_it_says() -> None:
    """Own 1144, and of eight unseen dice a third, 2.67, shows a face or is wild.

    Of fours 4 + 2.67 = 6.67 are expected, of other faces 2 + 2.67 = 4.67. So 3x4 stands; of the
    raises 4x4 leaves 2.67 to spare, 3x5 only 1.67. 7x4 is more than expected: dudo.
    """
    with ProgramAgent(BOT_PY) as program:
        assert decide(program, "common 1144/????/???? A 2x3,3x4") == "4x4"
        assert decide(program, "common 1144/????/???? A 2x3,6x4") == "7x4"
        assert decide(program, "common 1144/????/???? A 2x3,7x4") == "dudo"
        assert decide(program, "common 1144/????/???? A -") == "1x4"
        assert decide(program, "official 11246/?????/? C+A 3x4,4x4") == "decline"


def test_the_example_programs_ignore_what_they_do_not_know() -> None:
    """A later server may send more fields and more messages."""
    for command in (BOT_PY, BOT_JS):
        if shutil.which(shlex.split(command)[0]) is None:
            continue
        with ProgramAgent(command) as program:
            decide(program)
            process = program._process
            assert process is not None
            process.write('{"type":"weather","sun":true}', 5)
            question = {**protocol.decide(position(VIEW), 99), "later": {"field": 1}}
            reply = protocol.parse_reply(process.ask(json.dumps(question), 20))
            assert (reply.id, reply.action) == (99, "4x4")


def test_what_a_program_is_told(script: Script, tmp_path: Path) -> None:
    log = tmp_path / "log"
    body = 'say(type="action", id=id, action=question["legal"][0])'
    text = ANSWERING.format(body=body).replace(
        "    message = json", f"    open({str(log)!r}, 'a').write(line)\n    message = json"
    )
    agent: ProgramAgent = script(text)
    table = play([agent, agent_named("random")], "perudish2", 5)
    agent.close()
    told = [json.loads(line) for line in log.read_text().splitlines()]
    kinds = [message["type"] for message in told]
    assert kinds[0] == "hello"
    assert kinds[-2:] == ["result", "end"]
    assert set(kinds[1:-2]) == {"decide"}
    assert [each["id"] for each in told if "id" in each] == list(range(1, len(kinds) - 2))
    assert told[0]["players"] == table.players
    assert told[-1]["payoffs"] == list(table.state.payoffs())
    luck = [each["luck"] for each in told if each["type"] == "decide"]
    stream = stream_of(5, 1, 0)
    assert luck == [int(next_word(stream)) >> 11 for _ in luck]


def test_thoughts_are_taken_and_ignored(script: Script) -> None:
    body = 'say(type="action", id=id, action="dudo", thoughts="they bluff")'
    agent: ProgramAgent = script(ANSWERING.format(body=body))
    answer = agent.decide(position(VIEW), agent.new_memory(), stream_of(1))
    assert answer == Decision(PERUDO.action_value(1), None)


def test_a_program_that_writes_much_to_standard_error_does_not_block(script: Script) -> None:
    body = 'sys.stderr.write("x" * 99 * 9999); say(type="action", id=id, action="dudo")'
    agent: ProgramAgent = script(ANSWERING.format(body=body))
    for _ in range(3):
        assert decide(agent) == "dudo"


# --- programs that fail -------------------------------------------------------------------------
FAILURES = {
    "garbage": ('print("4x5!", flush=True)', "'4x5!' is not JSON"),
    "no object": ("print(45, flush=True)", "'45' is not an object"),
    "nothing": ("print(flush=True)", "'' is not JSON"),
    "not UTF-8": (
        'sys.stdout.buffer.write(b"\\xff\\n"); sys.stdout.flush()',
        "wrote a line that is not UTF-8",
    ),
    "endless line": (
        'sys.stdout.write("9" * 3_000_000); sys.stdout.flush()',
        "wrote a line of more than 1048576 bytes",
    ),
    "wrong id": ('say(type="action", id=id + 1, action="dudo")', "the answer has id 2"),
    "unreadable action": ('say(type="action", id=id, action="five")', "'five' is not an action"),
    "illegal action": (
        'say(type="action", id=id, action="3x2")',
        "3x2 is not legal: it is not higher than the standing 3x4; legal: ",
    ),
    "exits": ("sys.exit(3)", "ended with exit code 3"),
    "exits well": ("sys.exit(0)", "ended with exit code 0"),
    "is killed": ("os.kill(os.getpid(), 11)", "was killed by signal 11 (Segmentation fault)"),
    "crashes": ("1 / 0", "ended with exit code 1 (it said: Traceback"),
    "closes its output": (
        "sys.stdout.close(); os.close(1); time.sleep(60)",
        "closed its standard output",
    ),
}


@pytest.mark.parametrize("body, problem", FAILURES.values(), ids=FAILURES.keys())
def test_what_a_program_does_wrong_is_said_with_its_name_and_the_position(
    script: Script, body: str, problem: str
) -> None:
    agent: ProgramAgent = script(ANSWERING.format(body=body))
    agent.sit(PERUDO, PERUDO.setting("common"), 0, ["a", "b", "c"])
    pid = agent.pid
    assert pid is not None
    with pytest.raises(AgentError) as caught:
        decide(agent)
    message = str(caught.value)
    assert message.startswith(f"agent {agent.spec}: ")
    assert problem in message
    assert message.endswith(f", in position {VIEW!r}")
    assert "\n" not in message
    assert agent.pid is None
    assert gone(pid)


def test_the_last_lines_of_standard_error_are_passed_on(script: Script) -> None:
    body = 'for n in range(100): print("warning", n, file=sys.stderr)\n        1 / 0'
    agent: ProgramAgent = script(ANSWERING.format(body=body))
    with pytest.raises(AgentError) as caught:
        decide(agent)
    assert "ZeroDivisionError: division by zero" in str(caught.value)
    assert "warning 1 " not in str(caught.value)


def test_a_program_that_hangs_is_killed_with_all_that_it_started(
    script: Script, tmp_path: Path
) -> None:
    """It ignores the polite signals, and has a child that does so too."""
    child = tmp_path / "child"
    text = f"""
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
open({str(child)!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    agent: ProgramAgent = script(text, timeout=1.5)
    agent.sit(PERUDO, PERUDO.setting("common"), 0, ["a", "b", "c"])
    pid = agent.pid
    assert pid is not None
    with pytest.raises(AgentError, match=r"did not answer within 1.5 s, in position 'common "):
        decide(agent)
    assert gone(pid)
    assert gone(int(child.read_text()))


def test_a_program_that_reads_nothing_does_not_block(script: Script) -> None:
    """A pipe holds some of what is written to it, but not so much."""
    agent: ProgramAgent = script("import time; time.sleep(600)", timeout=0.3)
    names = ["x" * 1_000_000] * 2
    with pytest.raises(AgentError, match=r"did not read its input for 0.3 s"):
        agent.sit(PERUDO, PERUDO.setting("common"), 0, names)


def test_a_question_that_is_interrupted_leaves_no_answer_behind(script: Script) -> None:
    """Ctrl-C while it thinks: its late answer must not be taken for the next one."""
    body = 'time.sleep(600 if id == 1 else 0); say(type="action", id=id, action="dudo")'
    agent = script(ANSWERING.format(body=body), timeout=600)
    agent.sit(PERUDO, PERUDO.setting("common"), 0, ["a", "b", "c"])
    pid = agent.pid
    assert pid is not None
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            decide(agent)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert gone(pid)
    assert decide(agent) == "dudo"


def test_after_a_failure_a_new_process_sits_down(script: Script, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    body = (
        f"if not os.path.exists({str(mark)!r}): open({str(mark)!r}, 'w'); sys.exit(1)\n"
        '        say(type="action", id=id, action="dudo")'
    )
    agent: ProgramAgent = script(ANSWERING.format(body=body))
    with pytest.raises(AgentError, match="exit code 1"):
        decide(agent)
    assert decide(agent) == "dudo"


def test_an_answer_nobody_asked_for_is_not_taken_for_the_next(script: Script) -> None:
    body = 'say(type="action", id=id, action="dudo"); say(type="action", id=id, action="dudo")'
    agent: ProgramAgent = script(ANSWERING.format(body=body))
    assert decide(agent) == "dudo"
    with pytest.raises(AgentError, match="the answer has id 1, the question 2"):
        decide(agent)


# --- beginnings and ends ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "command, problem",
    [
        ("no-such-program --flag", "program 'no-such-program' not found"),
        ("", "write a command after cmd:"),
        ("  ", "write a command after cmd:"),
        ("node 'bot.js", "No closing quotation"),
    ],
)
def test_a_command_that_cannot_be_run_is_refused_at_once(command: str, problem: str) -> None:
    with pytest.raises(PerudoError, match=problem):
        ProgramAgent(command)


def test_a_command_is_no_shell_line(script: Script, tmp_path: Path) -> None:
    agent: ProgramAgent = script(ANSWERING.format(body="sys.exit(len(sys.argv))"))
    spoilt = tmp_path / "spoilt"
    shell = ProgramAgent(f"{agent.spec.removeprefix('cmd:')} ; touch {spoilt}")
    with shell, pytest.raises(AgentError, match="ended with exit code 4"):
        decide(shell)
    assert not spoilt.exists()


def test_programs_play_perudo_only() -> None:
    agent = ProgramAgent(BOT_PY)
    assert agent.cannot_play(PERUDO, PERUDO.setting("uk"), 3) is None
    reason = agent.cannot_play(KING_UP, KING_UP.setting(KING_UP.presets[0]), 3)
    assert reason == f"{agent.spec} plays perudo, not king_up"


def test_closing_twice_and_before_anything_is_harmless() -> None:
    agent = ProgramAgent(BOT_PY)
    agent.close()
    decide(agent)
    pid = agent.pid
    assert pid is not None
    agent.close()
    agent.close()
    assert gone(pid)


def test_a_program_that_is_forgotten_is_ended() -> None:
    agent = ProgramAgent(BOT_PY)
    decide(agent)
    pid = agent.pid
    assert pid is not None
    del agent
    gc.collect()
    assert gone(pid)


def test_a_program_has_time_to_end_by_itself(script: Script, tmp_path: Path) -> None:
    note = tmp_path / "note"
    text = ANSWERING.format(body='say(type="action", id=id, action="dudo")')
    text += f"\ntime.sleep(0.1)\nopen({str(note)!r}, 'w').write('goodbye')\n"
    agent: ProgramAgent = script(text)
    decide(agent)
    agent.close()
    assert note.read_text() == "goodbye"
