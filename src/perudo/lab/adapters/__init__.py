"""Environments for other learners: batches, PettingZoo and OpenSpiel (docs/learners.md)."""
