"""What is asked of a program and what comes of it, as values; and the plan, which alone decides who searches how."""
