"""Scoresheets as people write them: any country's notation, Braille, corrections."""
