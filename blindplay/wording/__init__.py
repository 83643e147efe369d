"""Laws and language together: from rulings to words."""
