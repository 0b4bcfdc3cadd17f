"""What searches must find, by definition, and searches with planted mistakes."""
