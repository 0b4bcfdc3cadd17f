"""Explicit graphs as models of the native engine."""
