"""What an editor shows of a model: diagnostics, declarations, verdicts; and the server that tells it."""
