"""What runs at a table of an event: publishing, joining, signing, and the time between games."""
