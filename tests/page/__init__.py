"""The web page: its data, and what it looks like in a browser."""
