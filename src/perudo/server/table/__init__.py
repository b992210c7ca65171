"""One table as its log describes it; no input or output."""
