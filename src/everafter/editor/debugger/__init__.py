"""The debug adapter: a counterexample as a program that stands still, which one steps through forwards and back."""
