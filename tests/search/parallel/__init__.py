"""Tests of the searches by several workers."""
