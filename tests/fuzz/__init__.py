"""Garbage for every parser: see ``python -m tests.fuzz --help``."""
