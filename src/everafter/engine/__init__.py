"""Native execution: a model and the searches as machine code, over a state store in plain memory."""
