"""Whether the steps that a reduced search leaves out are needless, by a text apart from the reduction that chose."""
