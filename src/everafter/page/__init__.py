"""The web page of a check: everything that it shows as data, and the one file that shows it."""
