"""Speed measurements, compared with OpenSpiel if it is installed."""
