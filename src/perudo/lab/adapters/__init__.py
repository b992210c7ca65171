"""For people who bring their own learners: batches, PettingZoo, OpenSpiel (docs/learners.md)."""
