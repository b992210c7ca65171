"""Search at decision time: beliefs, rollouts and POMCP."""
