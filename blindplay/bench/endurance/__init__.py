"""What a table endures: being killed at any moment, and playing for hours. Figures, not tests."""
