"""Playing with friends in the same local network: this machine's address, and a code to scan."""

from __future__ import annotations

import io
import socket


def own_addresses() -> list[str]:
    """The addresses at which others in the local network find this machine, the likeliest first."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:  # nothing is sent: the system says which of its addresses it would use
            probe.connect(("192.0.2.1", 9))
            found.append(str(probe.getsockname()[0]))
        except OSError:  # no network at all
            found.append("127.0.0.1")
    try:
        names = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:  # the machine's own name is not known
        names = []
    return list(dict.fromkeys([*found, *names]))


def code(address: str) -> str:
    """A QR code for a terminal."""
    import segno

    drawn = io.StringIO()
    segno.make(address, micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
