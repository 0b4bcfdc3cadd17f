"""Searches on native code, by one worker or a team, in threads that a caller watches."""
