"""Search at decision time."""
