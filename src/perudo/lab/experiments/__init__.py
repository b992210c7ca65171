"""The framework of experiments: claims, measurements, verdicts, and pages of results."""
