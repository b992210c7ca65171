"""The command line: one file per command."""

from perudo.cli.app import app, main

__all__ = ["app", "main"]
