"""Verdicts: holds, violated or incomplete, and the run that shows a violation, replayed."""
