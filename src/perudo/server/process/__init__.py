"""Starting and stopping server processes."""
