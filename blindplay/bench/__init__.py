"""Measurements of every part of BlindPlay, on the machine they run on."""
