"""Machine-checked proofs of everafter, and the command that checks them all: `python -m proofs`.

Folders are named as in `src/everafter`. A `.vpr` file is a Viper program, checked by Silicon and Z3; a `.py` file in a
folder is Python with contracts, checked by Nagini; a `.v` file is checked by Coq. What the checks rest on is written
down in `trusted.toml`, what has been checked in `checked.json`. See docs/trust.md.
"""
