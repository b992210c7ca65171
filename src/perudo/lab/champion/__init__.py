"""Training of the champion."""
