"""The commands of the command line, one file each; `everafter.cli` lists and runs them."""
