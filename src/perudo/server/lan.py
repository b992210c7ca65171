"""Playing with friends in the same local network: this machine's address, and a code to scan."""

from __future__ import annotations

import io
import socket


def own_addresses() -> list[str]:
    """The addresses at which others in the local network find this machine, the likeliest first.

    Without a network only this machine itself finds it, at the last.
    """
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:  # nothing is sent: the system says which of its addresses it would use
            probe.connect(("192.0.2.1", 9))
            found.append(str(probe.getsockname()[0]))
        except OSError:  # no way out of this network; there may be one all the same
            pass
    try:
        names = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:  # the machine's own name is not known
        names = []
    distinct = dict.fromkeys([*found, *names, "127.0.0.1"])
    return sorted(distinct, key=is_loopback)


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's for itself alone."""
    return address.startswith("127.")


def own_names() -> list[str]:
    """What this machine is called in its network: a browser may have been given a name."""
    name = socket.gethostname().lower()
    return [name] if "." in name else [name, f"{name}.local"]


def code(address: str) -> str:
    """A QR code for a terminal."""
    import segno

    drawn = io.StringIO()
    segno.make(address, micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
