"""Play in the local network: this machine's addresses, and a QR code for them."""

from __future__ import annotations

import io
import socket


def own_addresses() -> list[str]:
    """Return this machine's addresses in the local network, the likeliest first.

    The loopback address is last, and the only one if there is no network.
    """
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:  # sends nothing, but makes the system choose one of its addresses
            probe.connect(("192.0.2.1", 9))
            found.append(str(probe.getsockname()[0]))
        except OSError:  # no route out of this network, which may exist all the same
            pass
    try:
        names = socket.gethostbyname_ex(socket.gethostname())[2]
    except OSError:  # the machine's own name does not resolve
        names = []
    distinct = dict.fromkeys([*found, *names, "127.0.0.1"])
    return sorted(distinct, key=is_loopback)


def is_loopback(address: str) -> bool:
    """Return True if an address reaches this machine only from itself."""
    return address.startswith("127.")


def own_names() -> list[str]:
    """Return this machine's names in the local network, which browsers may use as addresses."""
    name = socket.gethostname().lower()
    return [name] if "." in name else [name, f"{name}.local"]


def code(address: str) -> str:
    """Draw a QR code for the terminal."""
    import segno

    drawn = io.StringIO()
    segno.make(address, micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
