"""What people and programs are shown: text and JSON."""
