"""Command-line options made from the fields of frozen dataclasses."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields, is_dataclass
from itertools import pairwise
from typing import Annotated, Any, Protocol, TypeVar, cast, get_args, get_origin, get_type_hints

import typer
from annotated_types import Ge, Interval
from typer.models import ArgumentInfo, OptionInfo

Settings = TypeVar("Settings")
COMMA_SEPARATED = tuple[str, ...]
"""A field of this type is one option, whose value is split at its commas."""


class Signed(Protocol):
    """A function that states its own signature, which ``inspect`` and typer then read."""

    __signature__: inspect.Signature


def options_of(
    settings: type[Settings], environment: str | None = None
) -> Callable[[Callable[[Settings], int | None]], Callable[..., None]]:
    """Give a command an option for each field of the dataclass that is its one parameter.

    The name, type and default are the field's, the help is the docstring below it, and limits are
    ``Annotated`` with ``Ge`` or ``Interval``. A string among the annotations is a former name, and
    ``typer.Argument()`` makes the field an argument. With ``environment`` each option can also be
    set by a variable: this prefix and the name in capitals. The command's result is the exit code.
    """
    hints = get_type_hints(settings, include_extras=True)
    helps = docstrings_of(settings)
    found = {field.name: field for field in fields(cast(Any, settings))}
    own_first = (name for kind in settings.__mro__ for name in inspect.get_annotations(kind))
    parameters = [
        _parameter(found[name], hints[name], helps.get(name), environment)
        for name in dict.fromkeys(own_first)
        if name in found
    ]
    lists = [name for name in found if hints[name] == COMMA_SEPARATED]

    def decorate(command: Callable[[Settings], int | None]) -> Callable[..., None]:
        def run(**given: Any) -> None:
            for name in lists:
                parts = (part.strip() for part in given[name].split(","))
                given[name] = tuple(part for part in parts if part)
            values = {name: value for name, value in given.items() if value is not None}
            raise typer.Exit(command(settings(**values)) or 0)

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        cast(Signed, run).__signature__ = inspect.Signature(parameters)
        return run

    return decorate


def _parameter(
    field: Field[Any], hint: Any, help: str | None, environment: str | None
) -> inspect.Parameter:
    """Return the parameter from which typer makes an argument or an option."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    default: Any = ... if field.default is MISSING else field.default
    if field.default_factory is not MISSING:
        default = None  # the field's own default is used when nothing is given
    if kind == COMMA_SEPARATED:
        kind, default = str, ",".join(default)
    parameter: ArgumentInfo | OptionInfo
    for note in notes:
        if isinstance(note, ArgumentInfo):
            parameter = copy(note)
            parameter.default, parameter.help = default, help
            break
    else:
        limits = next((note for note in notes if isinstance(note, Ge | Interval)), None)
        names = [field.name, *(note for note in notes if isinstance(note, str))]
        has_opposite = kind is bool and (default or environment is not None)
        parameter = typer.Option(
            default,
            *([] if has_opposite else [f"--{name.replace('_', '-')}" for name in names]),
            help=help,
            envvar=environment and [f"{environment}{name.upper()}" for name in names],
            min=getattr(limits, "ge", None),
            max=getattr(limits, "le", None),
        )
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=parameter, annotation=kind
    )


def docstrings_of(settings: type) -> dict[str, str]:
    """Return the docstrings below the fields of a dataclass and of its bases, each as one line."""
    found = {}
    for kind in filter(is_dataclass, reversed(settings.__mro__)):
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
        assert isinstance(definition, ast.ClassDef)
        for pair in pairwise(definition.body):
            match pair:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[name] = " ".join(text.replace("``", "").split())
    return found
