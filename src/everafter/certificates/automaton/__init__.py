"""Why the automaton of a certificate accepts every violation of its formula: reasons, and the checks of reasons."""
