"""The laboratory: contests, tournaments, experiments, solving, training and benchmarks."""
