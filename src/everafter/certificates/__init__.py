"""Certificates: what a verdict can be checked by, without the search that found it."""
