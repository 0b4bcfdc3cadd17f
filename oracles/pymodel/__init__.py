"""Python models run as Python: what the compiled program is compared with."""
