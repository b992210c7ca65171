"""The hash of machine code covers every file that it could have been compiled from."""

from __future__ import annotations

from pathlib import Path

import grimp
import pytest

import perudo
from perudo.games import kernel
from perudo.games.sources import Sources, in_games

PACKAGE = Path(perudo.__file__).parent
MARKS = ("@kernel", "@inlined", "callback(")


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


WITH_KERNELS = sorted(
    module_of(path)
    for path in PACKAGE.rglob("*.py")
    if any(mark in path.read_text(encoding="utf-8") for mark in MARKS)
)


def test_the_modules_with_kernels_are_found() -> None:
    assert {"perudo.lab.arena", "perudo.agents.papers.observer", "perudo.search.cfr.sweep"} < set(
        WITH_KERNELS
    )


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("perudo", cache_dir=None)


@pytest.fixture(scope="module")
def sources() -> Sources:
    return Sources(PACKAGE)


@pytest.mark.parametrize("module", WITH_KERNELS)
def test_what_is_hashed_is_what_is_imported(
    module: str, graph: grimp.ImportGraph, sources: Sources
) -> None:
    """As another program sees it. The games are hashed with every module."""
    imported = graph.find_upstream_modules(module) | {module}
    games = {name for name in graph.modules if in_games(name)}
    assert sources.closure(module) | games == imported | games


@pytest.mark.parametrize("module", [name for name in WITH_KERNELS if in_games(name)])
def test_games_are_made_of_games(module: str, graph: grimp.ImportGraph, sources: Sources) -> None:
    """All of them are hashed, and there is nothing else that they could call."""
    assert graph.find_upstream_modules(module) <= sources.closure(module)


FILES = {
    "__init__.py": "",
    "games/__init__.py": "",
    "games/go.py": "def apply(): ...\n",
    "games/sizes.py": "BOARD = 19\n",
    "agents/__init__.py": "",
    "agents/direct.py": "from perudo.agents.callee import call\n",
    "agents/callee.py": "from perudo.deep.inner import call\n",
    "agents/relative.py": "from . import callee\nfrom ..deep import inner\n",
    "agents/parent.py": "from .. import lone\n",
    "agents/plain.py": "import numpy, perudo.agents.callee as called\n",
    "agents/lazy.py": (
        "def run():\n    if True:\n        from perudo.agents.callee import (  # (soon)\n"
        "            call,\n        )\n    return call()\n"
    ),
    "agents/by_package.py": "from perudo.deep import offered\n",
    "agents/continued.py": "from perudo.agents \\\n    import callee\n",
    "agents/sentence.py": '"""Begin.\n\nimport what you need\n"""\nimport perudo.agents.callee\n',
    "agents/in_line.py": "try: import numpy; from perudo.agents import callee\nfinally: ...\n",
    "agents/alone.py": "import os\n",
    "agents/in_a_circle.py": "from perudo.agents import in_a_circle, callee\n",
    "deep/__init__.py": "from perudo.deep.offering import offered\n",
    "deep/offering.py": "def offered(): ...\n",
    "deep/inner.py": "from perudo.deep.constants import LIMIT\n",
    "deep/constants.py": "LIMIT = 3\n",
    "lone.py": "",
}
BY_CALLEE = {
    *(
        "direct",
        "callee",
        "relative",
        "plain",
        "lazy",
        "continued",
        "sentence",
        "in_line",
        "in_a_circle",
    ),
}
"""The agents whose kernels could call ``agents/callee.py``, directly or not."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "perudo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "perudo"


AGENTS = [name[7:-3] for name in FILES if name.startswith("agents/") and "__init__" not in name]


@pytest.mark.parametrize(
    "changed, agents, games",
    [
        ("agents/callee.py", BY_CALLEE, False),
        ("deep/inner.py", BY_CALLEE, False),  # a callee's callee
        ("deep/constants.py", BY_CALLEE, False),  # has no kernel, but its numbers get into them
        ("deep/__init__.py", {"by_package"}, False),
        ("deep/offering.py", {"by_package"}, False),  # what a package hands on
        ("lone.py", {"parent"}, False),
        ("agents/alone.py", {"alone"}, False),
        ("agents/__init__.py", set(), False),
        ("games/go.py", set(), True),  # all agents' caches lie within the games' one
        ("games/sizes.py", set(), True),
    ],
)
def test_a_change_is_seen_by_those_who_could_have_compiled_it(
    package: Path, changed: str, agents: set[str], games: bool
) -> None:
    def fingerprints() -> dict[str, str]:
        sources = Sources(package)
        names = [f"perudo.agents.{name}" for name in AGENTS]
        return {name: sources.fingerprint(name) for name in (*names, "perudo.games.go", "mine")}

    before = fingerprints()
    with open(package / changed, "a", encoding="utf-8") as file:
        file.write("# changed\n")
    after = fingerprints()
    differing = {name for name in before if before[name] != after[name]}
    expected = {f"perudo.agents.{name}" for name in agents} | {"mine"}
    assert differing == expected | ({"perudo.games.go"} if games else set())
    # Twice the same sources, twice the same hash.
    assert fingerprints() == after


def test_a_module_that_is_new_changes_nothing_for_the_others(package: Path) -> None:
    before = Sources(package).fingerprint("perudo.agents.direct")
    (package / "agents" / "newcomer.py").write_text("", encoding="utf-8")
    assert Sources(package).fingerprint("perudo.agents.direct") == before


def test_a_module_that_has_moved_into_a_package_is_followed(package: Path) -> None:
    """``agents/callee.py`` becomes ``agents/callee/__init__.py`` with a part of its own."""
    (package / "agents" / "callee").mkdir()
    (package / "agents" / "callee.py").rename(package / "agents" / "callee" / "__init__.py")
    with open(package / "agents" / "callee" / "__init__.py", "a", encoding="utf-8") as file:
        file.write("from .part import more\n")
    (package / "agents" / "callee" / "part.py").write_text("from ...deep import inner\n")
    closure = Sources(package).closure("perudo.agents.relative")
    assert {"perudo.agents.callee", "perudo.agents.callee.part"} < closure
    assert "perudo.deep.constants" in closure


def test_caches_are_named_after_these_hashes(sources: Sources) -> None:
    for module in ("perudo.games.perudo.play", "perudo.lab.arena", "elsewhere"):
        assert kernel.source_fingerprint(module) == sources.fingerprint(module)
    cache = kernel.module_cache("perudo.lab.arena")
    assert cache.name == f"perudo.lab.arena-{sources.fingerprint('perudo.lab.arena')}"
    assert cache.parent.name == f"kernels-{sources.fingerprint('perudo.games')}"
