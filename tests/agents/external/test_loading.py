"""Classes from files, and everything that can be wrong with them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from perudo.agents.agent import Agent, Decision
from perudo.agents.external.loading import load_agent, split_file_word
from perudo.games.chance import stream_of
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, position

EXAMPLE = Path(__file__).parents[3] / "examples" / "my_agent.py"
Write = Callable[..., Path]

GOOD = """
from dataclasses import dataclass
from perudo.agents.agent import Agent

class Plain:
    def decide(self, observation, memory, stream):
        return "dudo"

class Listening(Plain):
    memory_width = 3
    uses_clock = True
    def __init__(self):
        self.heard = []
    def learn(self, observation, memory):
        self.heard.append("learn")
    def sit(self, game, setting, seat, players):
        self.heard.append(f"sit {seat}")
    def leave(self, observation):
        self.heard.append("leave")
    def close(self):
        self.heard.append("close")
    def cannot_play(self, game, setting, players):
        return "too many" if players > 2 else None

@dataclass(frozen=True)
class Tuned(Agent):
    name = "tuned"
    bold: float = 0.5
    times: int = 3
    open: bool = False
    mood: str = "good"
    def decide(self, observation, memory, stream):
        return "dudo"

@dataclass
class Picky:
    level: int = 1
    def __post_init__(self):
        if self.level > 1:
            raise ValueError("level is too high")
    def decide(self, observation, memory, stream):
        return "dudo"

class Needy:
    def __init__(self, weights):
        self.weights = weights
    def decide(self, observation, memory, stream):
        return "dudo"

class NoAgent:
    pass

number = 5
"""


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes a file; what importing it leaves behind is taken away again."""
    modules, path = dict(sys.modules), list(sys.path)

    def save(text: str, name: str = "mine.py") -> Path:
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        return file

    yield save
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        if name.startswith("perudo_agent_"):
            del sys.modules[name]


@pytest.mark.parametrize(
    "word, parts",
    [
        ("mine.py:Careful", ("mine.py", "Careful", "")),
        ("a/b.c/mine.py:Careful:x=1,y=a:b", ("a/b.c/mine.py", "Careful", "x=1,y=a:b")),
        ("mine.py", ("mine.py", "", "")),
        ("random", None),
        ("dumb:prob=0.4", None),
        ("mine.pyc:Careful", None),
    ],
)
def test_a_word_that_names_a_file(word: str, parts: tuple[str, str, str] | None) -> None:
    split = split_file_word(word)
    assert parts == (None if split is None else (str(split[0]), *split[1:]))


def test_a_class_needs_decide_and_nothing_else(write: Write) -> None:
    agent = load_agent(f"{write(GOOD)}:Plain")
    view = position("common 12/?? A 1x2")
    assert agent.decide(view, agent.new_memory(), stream_of(1)) == "dudo"
    agent.sit(PERUDO, PERUDO.setting("common"), 0, ["a", "b"])
    agent.learn(view, agent.new_memory())
    agent.leave(view)
    agent.close()
    assert agent.cannot_play(PERUDO, PERUDO.setting("common"), 5) is None
    assert agent.spec == "Plain"
    assert not hasattr(agent, "act_batch")


def test_what_else_a_class_has_is_used(write: Write) -> None:
    agent = load_agent(f"{write(GOOD)}:Listening")
    view = position("common 12/?? A 1x2")
    assert agent.new_memory().shape == (10, 3)
    assert agent.uses_clock
    agent.sit(PERUDO, PERUDO.setting("common"), 1, ["a", "b"])
    agent.learn(view, agent.new_memory())
    agent.leave(view)
    agent.close()
    assert agent._player.heard == ["sit 1", "learn", "leave", "close"]  # type: ignore[attr-defined]
    assert agent.cannot_play(PERUDO, PERUDO.setting("common"), 5) == "too many"


def test_a_dataclass_takes_parameters(write: Write) -> None:
    path = write(GOOD)
    tuned = load_agent(f"{path}:Tuned:bold=0.25,times=7,open=yes,mood=bad")
    assert isinstance(tuned, Agent)
    values = [getattr(tuned, name) for name in ("bold", "times", "open", "mood")]
    assert values == [0.25, 7, True, "bad"]
    assert load_agent(f"{path}:Tuned").bold == 0.5  # type: ignore[attr-defined]


def test_modules_beside_the_file_can_be_imported_but_hide_no_others(write: Write) -> None:
    write("answer = 'dudo'", "beside_mine.py")
    write("raise RuntimeError('not the one that was meant')", "statistics.py")
    path = write(
        "import statistics\nfrom beside_mine import answer\n"
        "class Mine:\n    def decide(self, observation, memory, stream): return answer\n"
    )
    agent = load_agent(f"{path}:Mine")
    assert agent.decide(position("common 12/?? A 1x2"), agent.new_memory(), stream_of(1)) == "dudo"


WRONG = {
    "no such class": (GOOD, "Nobody", "has no class 'Nobody'; its agents: Plain, Listening, Tuned"),
    "no class named": (GOOD, "", "name a class of "),
    "not a class": (GOOD, "number", "has no class 'number'"),
    "no agent": (GOOD, "NoAgent", "NoAgent is not an agent; it needs decide(observation, me"),
    "no classes": ("x = 1", "Mine", "has no class with a decide method"),
    "neither named": ("x = 1", "", "has no class with a decide method"),
    "no dataclass": (GOOD, "Plain:x=1", "Plain takes no parameters; make it a dataclass"),
    "no such parameter": (GOOD, "Tuned:x=1", "Tuned has no parameter 'x'; its parameters: bold"),
    "not a number": (GOOD, "Tuned:times=many", "Tuned: times=many should be a whole number"),
    "refuses": (GOOD, "Picky:level=2", "cannot be created: ValueError: level is too high (mine.py"),
    "needs more": (GOOD, "Needy", "Needy cannot be created: TypeError: "),
    "does not compile": (
        "x = 1\nclass Mine\n",
        "Mine",
        "cannot be imported: SyntaxError: expected ':' (mine.py, line 2)",
    ),
    "raises": (
        "\n\nimport nowhere_there\n",
        "Mine",
        "cannot be imported: ModuleNotFoundError: No module named 'nowhere_there' (mine.py, l",
    ),
    "exits": ("import sys\nsys.exit(4)", "Mine", "cannot be imported: SystemExit: 4 (mine.py, l"),
}


@pytest.mark.parametrize("text, name, problem", WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_with_a_file_is_said_in_one_line(
    write: Write, text: str, name: str, problem: str
) -> None:
    path = write(text)
    with pytest.raises(PerudoError) as caught:
        load_agent(f"{path}:{name}")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_must_be_there_and_be_python(tmp_path: Path) -> None:
    with pytest.raises(PerudoError, match=r"file '.*nowhere.py' not found"):
        load_agent(f"{tmp_path}/nowhere.py:Mine")
    with pytest.raises(PerudoError, match="does not name a class in a file"):
        load_agent("random")


# --- the example --------------------------------------------------------------------------------
def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 40


def test_the_example_does_what_it_says(write: Write) -> None:
    """Own 11246 hold three sixes and three fours, two fives, with the wild ones; ten are unseen.

    After 3x4, 3x6 is sure, while 4x4 and 3x5 need one of ten. After 9x4, 9x6 needs six of ten
    (8 %), 9x5 and 10x4 need seven (2 %): all below one half, but not all below 5 %.
    """
    careful = load_agent(f"{EXAMPLE}:Careful")
    bold = load_agent(f"{EXAMPLE}:Careful:courage=0.05")

    def chosen(agent: Agent, notation: str) -> str:
        answer = agent.decide(position(notation), agent.new_memory(), stream_of(1))
        assert not isinstance(answer, Decision)
        return str(answer)

    assert chosen(careful, "common 11246/?????/????? A 3x4") == "3x6"
    assert chosen(careful, "common 11246/?????/????? A 9x4") == "dudo"
    assert chosen(bold, "common 11246/?????/????? A 9x4") == "9x6"
    assert chosen(careful, "common 11246/?????/????? A -") == "1x2"
    assert chosen(careful, "official 11246/?????/? C+A 3x4,4x4") == "decline"
    assert chosen(careful, "official ?????/?????/11246 C 15x6,pass") == "doubt"
