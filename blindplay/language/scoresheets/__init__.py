"""Scoresheets as people write them: the notation of any country, Braille, corrections."""
