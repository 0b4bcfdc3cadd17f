"""Whether the steps that a reduced search leaves out are independent, by a text apart from the reduction that chose."""
