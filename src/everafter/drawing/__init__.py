"""Pictures of graphs: what is drawn, where it stands, and how that is written. It knows nothing of models."""
