"""Endurance of a table: killed at any moment, and playing for hours. Measurements, not tests."""
