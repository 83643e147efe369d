"""Players who are not in the room: their facts come from elsewhere."""
