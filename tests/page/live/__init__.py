"""Exploring a model: its session and its server."""
