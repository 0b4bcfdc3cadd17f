"""Other translators, and random formulas to ask them about."""
