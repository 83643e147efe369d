"""Endurance of a table: killed at any moment, and playing for hours."""
