"""Whom we ask whether everafter is right: other programs, plain definitions, and inputs to ask about.

Tests, campaigns and benchmarks stand on this and on everafter; nothing here knows of them.
"""
