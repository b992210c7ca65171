"""Messages and HTTP bodies: everything that crosses the network."""
