"""Players published in papers and reports, one file per family."""
