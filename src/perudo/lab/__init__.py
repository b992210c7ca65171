"""The laboratory: speed, tree counting, and compiling ahead."""
