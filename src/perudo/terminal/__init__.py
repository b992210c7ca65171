"""The terminal interface: screens, local games and online games."""
