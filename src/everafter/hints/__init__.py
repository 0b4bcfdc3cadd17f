"""What can be said about a verdict beside the verdict: follow-up questions, small against the first, which never change
it."""
