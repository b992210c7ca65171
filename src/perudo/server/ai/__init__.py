"""The processes in which built-in AIs decide."""
