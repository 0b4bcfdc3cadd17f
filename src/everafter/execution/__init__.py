"""The reference meaning: what one step of a program does. Everything fast is compared with this."""
