"""The runs of a system that a claim accepts: synchronous product, on the fly."""
