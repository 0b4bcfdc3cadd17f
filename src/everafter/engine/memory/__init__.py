"""Memory for searches: large reserved areas of which only the pages touched cost anything."""
