"""The experiments of the papers, and some that the papers propose: one file per paper."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from perudo.games.errors import UnknownNameError
from perudo.lab.experiments.experiment import Experiment
from perudo.lab.papers import beyond, king_up, maynooth, perudish, thesis

EXPERIMENTS: list[Experiment] = [
    *thesis.EXPERIMENTS,
    *maynooth.EXPERIMENTS,
    *perudish.EXPERIMENTS,
    *king_up.EXPERIMENTS,
    *beyond.EXPERIMENTS,
]
"""All experiments, in the order of the papers."""

ALL = "all"


def select(words: Sequence[str]) -> list[Experiment]:
    """Return the experiments named by ids, patterns (``RO-*``) or ``all``.

    The number of a figure names the experiment that draws it; 4.2 and 4.3 are tables and figures.
    """
    chosen: set[str] = set()
    for word in words:
        named = {
            one.id
            for one in EXPERIMENTS
            if word == ALL or any(fnmatchcase(name, word) for name in (one.id, *one.also))
        }
        if not named:
            known = ", ".join(one.id for one in EXPERIMENTS)
            raise UnknownNameError(f"no experiment {word!r}; there are: {known}, all")
        chosen |= named
    return [one for one in EXPERIMENTS if one.id in chosen]
