"""The ``perudo`` command, which lists all commands and imports the one in use."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from perudo import __version__

if TYPE_CHECKING:
    from typer._click import Command, Context

COMMANDS = {
    "serve": ("serve", "Host games for people, bots and AIs."),
    "play": ("play", "Play in the terminal, against AIs or online."),
    "match": ("match", "Play many games between agents and compare the results."),
    "tournament": ("tournament", "Rate agents in a tournament."),
    "ladder": ("ladder", "Rate all agents at several table sizes."),
    "agents": ("match", "List the agents, or show one."),
    "rules": ("rules", "List the rule presets, or show one with its options."),
    "position": ("rules", "Show the legal actions of a position, with exact odds."),
    "perft": ("solve", "Count the game tree of one round, to check the rules."),
    "reproduce": ("reproduce", "Rerun the experiments of the papers."),
    "solve": ("solve", "Solve one round, or learn to play it."),
    "exploitability": ("solve", "Measure how much a best response wins from an agent."),
    "train": ("train", "Train the champion."),
    "review": ("review", "Review a finished game, decision by decision."),
    "verify": ("rules", "Replay a record and check every event."),
    "bench": ("bench", "Measure speed on one core."),
    "warm": ("bench", "Compile the agents in advance, not on first use."),
    "admin": ("admin", "Manage a server's accounts and database."),
}
"""The module and a summary of each command."""

INTERPRETED_COMMANDS = ("position", "rules", "verify")
"""Commands that look at few positions: loading the compiler would take longer than running them."""


class LazyGroup(TyperGroup):
    """A group that imports a command when it is used; until then it has only the summary."""

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Find a command by its name, and import it."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, None if name is None else command_named(name), rest


app = typer.Typer(
    name="perudo",
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _name, (_, _summary) in COMMANDS.items():
    app.command(_name, help=_summary)(lambda: None)


def command_named(name: str) -> Command:
    """Import a command."""
    found = getattr(import_module(f"perudo.cli.{COMMANDS[name][0]}"), name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name)(found)
    return typer.main.get_command(single)


@app.callback(invoke_without_command=True)
def perudo(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Play, host and study Perudo (Liar's Dice, Dudo) and other games of hidden information."""
    if version:
        print(f"perudo {__version__}")
        raise typer.Exit


def main() -> None:
    """Run a command; print an error in its input on one line, with exit code 2."""
    if "--help" in sys.argv or (sys.argv[1:2] and sys.argv[1] in INTERPRETED_COMMANDS):
        os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    try:
        code = app(standalone_mode=False)
    except TyperException as error:
        _fail(error.format_message())
    except (typer.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except ValueError as error:
        from perudo.games.errors import PerudoError

        if not isinstance(error, PerudoError):
            raise
        _fail(str(error))
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    print(f"perudo: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
