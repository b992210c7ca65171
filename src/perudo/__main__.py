"""``python -m perudo``."""

from perudo.cli import main

main()
