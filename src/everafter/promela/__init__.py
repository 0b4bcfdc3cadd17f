"""promela."""
