"""A model that is explored: any step can be taken, any question asked of any state, from a page in a browser."""
