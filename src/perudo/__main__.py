"""``python -m perudo``."""

from perudo.cli.app import main

main()
