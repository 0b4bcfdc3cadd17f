"""A model that is explored: any step can be taken, any property checked from any state, from a page in a browser."""
