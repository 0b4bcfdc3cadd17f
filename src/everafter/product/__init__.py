"""product."""
