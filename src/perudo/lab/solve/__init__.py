"""Solving small games, and measuring exploitability."""
