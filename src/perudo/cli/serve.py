"""``perudo serve``."""

from __future__ import annotations

from perudo.cli.options_of import options_of
from perudo.server.settings import Settings


@options_of(Settings, environment="PERUDO_")
def serve(settings: Settings) -> int:
    """Host games for people, bots and AIs.

    People play in the browser; programs use the protocol in docs/protocol.md.
    """
    from perudo.server.process.run import run  # takes a second, which --help does not need

    return run(settings)
