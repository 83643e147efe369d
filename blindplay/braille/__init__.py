"""Braille displays: BRLTTY's protocol, its keys, and a long text on a short line."""
