"""What is said beside a verdict, computed from the definitions: over the whole graph of states."""
