"""A search by levels that many workers share, each of which owns the states whose hash falls to it."""
