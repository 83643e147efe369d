"""Speech and language together: from sound to meaning."""
