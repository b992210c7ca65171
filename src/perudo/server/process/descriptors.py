"""The limit on open files, raised at start because each client needs a file descriptor."""

from __future__ import annotations

import resource

RESERVED = 300
"""Descriptors that clients leave for the database, AI processes and files."""
ENOUGH = 50_000
"""Descriptors to ask for where the system sets no limit; macOS refuses to have none."""


def most_connections() -> int:
    """Raise the limit on open files as far as possible, and return the connections it allows."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    descriptors = ENOUGH if hard == resource.RLIM_INFINITY else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, hard))
    return max(descriptors - RESERVED, descriptors // 2)
