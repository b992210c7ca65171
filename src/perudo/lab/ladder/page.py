"""The ladder's files: data files of the package, and a table in docs/agents.md."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from perudo.games.errors import PerudoError
from perudo.lab.ladder.ladder import Ladder, SizeRating
from perudo.lab.ladder.level_choice import Levels

DATA = Path("src", "perudo", "data")
PAGE = Path("docs", "agents.md")
"""Both are relative to the project's source directory."""
LADDER, LEVELS = "ladder.json", "levels.json"
BEGIN, END = "<!-- ladder -->", "<!-- end of ladder -->"


def require(project: Path) -> None:
    """Raise an error, before hours of play, unless the project's source is there."""
    page = project / PAGE
    if not page.is_file() or not (project / DATA).parent.is_dir():
        raise PerudoError("--write changes the source of perudo: run it in the source directory")
    split_page(page.read_text("utf-8"), BEGIN, END)


def read_ladder(project: Path, or_installed: bool = False) -> Ladder:
    """Return the ladder last written to the project, or if allowed the installed package's."""
    path = project / DATA / LADDER
    if or_installed and not path.is_file():
        path = Path(str(files("perudo") / "data" / LADDER))
    if not path.is_file():
        raise PerudoError(f"there is no {path}: run perudo ladder --write first")
    data: Ladder = json.loads(path.read_text("utf-8"))
    return data


def write(project: Path, ladder: Ladder, levels: Levels) -> list[Path]:
    """Write both data files and the table; return their paths."""
    data, page = project / DATA, project / PAGE
    data.mkdir(exist_ok=True)
    before, after = split_page(page.read_text("utf-8"), BEGIN, END)
    paths = [data / LADDER, data / LEVELS, page]
    texts = (_json(ladder), _json(levels), before + markdown(ladder, levels) + after)
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, "utf-8")
    return paths


def _json(data: Ladder | Levels) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def split_page(page: str, beginning: str, ending: str) -> tuple[str, str]:
    """Return the parts of a page before and after the text between two marks."""
    before, begin, rest = page.partition(beginning)
    _, end, after = rest.partition(ending)
    if not begin or not end:
        raise PerudoError(f"{PAGE} has no lines {beginning!r} and {ending!r} to write between")
    return before + begin + "\n", end + after


# --- the table ----------------------------------------------------------------------------------
def markdown(ladder: Ladder, levels: Levels) -> str:
    """Return the tables of the ladder and of the levels, in Markdown."""
    sizes = [str(players) for players in ladder["players"]]
    chosen = {word: one["name"] for one in levels["levels"] for word in one["agents"]}
    played = ", ".join(f"{ladder['games'][size]:,} at {size} players" for size in sizes)
    heads = [f"{size} players" for size in sizes]
    lines = [
        f"Written by `{ladder['command']}`: rules `{ladder['rules']}`, seed {ladder['seed']}, "
        f"games: {played}. Ratings do not depend on the order of play; their 95 % intervals are "
        "bootstrapped over blocks (a table in all rotations of its seats, with the same dice). A "
        "lead of 400 points is ten wins to one; the agents that play at all sizes have a mean of "
        "1500 at each. Memories are cleared before every game. Times are processor times of "
        "decisions requested from Python, at the largest table with all seats taken by the agent; "
        "they change from run to run, the games do not.",
        "",
        f"| agent | mean | {' | '.join(heads)} | ms, mean (slowest) | level |",
        f"|-|-:|{'-:|' * len(sizes)}-:|-|",
    ]
    for row in ladder["agents"]:
        cells = [_rating_cell(row["ratings"].get(size)) for size in sizes]
        spent = f"{row['mean_ms']:.2g} ({row['slowest_ms']:.2g})"
        lines.append(
            f"| `{row['agent']}` | {row['mean']:.0f} | {' | '.join(cells)} | {spent} | "
            f"{chosen.get(row['agent'], '')} |"
        )
    lines += [
        "",
        f"**Levels** for people (`perudo ladder --levels`). {levels['rule']} "
        f"The marks are {levels['spacing']:.0f} points apart:",
        "",
        "| level | mark | mean of its agents | agents |",
        "|-|-:|-:|-|",
    ]
    for one in levels["levels"]:
        names = ", ".join(f"`{word}`" for word in one["agents"])
        lines.append(f"| {one['name']} | {one['mark']:.0f} | {one['rating']:.0f} | {names} |")
    return "\n".join(lines) + "\n"


def _rating_cell(rating: SizeRating | None) -> str:
    if rating is None:
        return "-"
    low, high = rating["ci95"]
    return f"{rating['rating']:.0f} ({low:.0f} to {high:.0f})"
