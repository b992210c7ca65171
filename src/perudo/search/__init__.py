"""Thinking, for any game: solving small rounds exactly, and searching large ones."""
