"""Random programs, and inputs that no author meant."""
