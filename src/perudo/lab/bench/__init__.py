"""Speed measurements, beside OpenSpiel where it is installed."""
