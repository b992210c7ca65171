"""Options made from the fields of dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from annotated_types import Ge, Interval
from typer.testing import CliRunner

from perudo.cli.options_of import docstrings_of, options_of


@dataclass(frozen=True, kw_only=True)
class Base:
    """Settings that others share."""

    seed: int = 1
    """The seed
    of everything."""


@dataclass(frozen=True, kw_only=True)
class Wishes(Base):
    """Every kind of field."""

    words: Annotated[list[str], typer.Argument()]
    """Words to say."""
    port: Annotated[int, Interval(ge=1, le=9)] = 8
    """A ``port``."""
    seconds: Annotated[float | None, Ge(0.5)] = None
    """Seconds to wait."""
    quiet: bool = False
    """Say nothing."""
    polite: bool = True
    """Say please."""
    also: list[str] = field(default_factory=list)
    """Say this too."""
    origins: tuple[str, ...] = ()
    """Places, separated by commas."""


def given(*arguments: str, environment: str | None = None, **variables: str) -> Wishes:
    """The settings that a command gets."""
    got: list[Wishes] = []
    app = typer.Typer()

    @app.command()
    @options_of(Wishes, environment)
    def say(wishes: Wishes) -> None:
        """Say it."""
        got.append(wishes)

    done = CliRunner().invoke(app, arguments, env=variables, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return got[0]


def test_options_that_are_not_given_have_the_fields_defaults() -> None:
    assert given("one", "two") == Wishes(words=["one", "two"])


def test_every_field_can_be_given() -> None:
    flags = ["--port", "9", "--seconds", "0.5", "--quiet", "--no-polite", "--seed", "7"]
    lists = ["--also", "a", "--also", "b", "--origins", " c, d,"]
    assert given("one", *flags, *lists) == Wishes(
        words=["one"],
        port=9,
        seconds=0.5,
        quiet=True,
        polite=False,
        also=["a", "b"],
        origins=("c", "d"),
        seed=7,
    )


def test_variables_set_options_and_flags_come_first() -> None:
    variables = {"SAY_PORT": "3", "SAY_QUIET": "1", "SAY_ORIGINS": "a,b"}
    found = given("one", "--no-quiet", environment="SAY_", **variables)
    assert (found.port, found.quiet, found.origins) == (3, False, ("a", "b"))


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (["--port", "10"], "less than or equal to 9"),
        (["--seconds", "0"], "greater than or equal to 0.5"),
        (["--no-quiet"], "No such option"),
    ],
)
def test_values_outside_the_limits_are_refused(flags: list[str], problem: str) -> None:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(options_of(Wishes)(lambda wishes: None))
    done = CliRunner().invoke(app, ["one", *flags])
    assert done.exit_code == 2
    assert problem in done.output


def test_the_result_is_the_exit_code() -> None:
    app = typer.Typer()
    app.command()(options_of(Wishes)(lambda wishes: wishes.port))
    assert CliRunner().invoke(app, ["one"]).exit_code == 8


def test_docstrings_are_the_help() -> None:
    assert docstrings_of(Wishes)["seed"] == "The seed of everything."
    assert docstrings_of(Wishes)["port"] == "A port."
