"""What is proved, as Python, to be run beside what runs: made by `proofs.runnable` of the proofs themselves.

Nothing here is written by hand. `EVERAFTER_UPDATE=1 python -m proofs` makes it anew of proofs that have changed.
"""
