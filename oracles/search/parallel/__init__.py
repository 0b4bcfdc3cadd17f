"""Every interleaving of the searches by several workers."""
