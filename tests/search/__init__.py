"""Tests of the station `search`."""
