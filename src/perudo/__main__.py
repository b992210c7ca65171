"""Entry point of ``python -m perudo``."""

from perudo.cli.app import main

main()
