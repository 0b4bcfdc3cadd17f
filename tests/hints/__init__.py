"""Tests of what is said beside a verdict."""
