"""The games of a hall for everybody: later, on pages, in files and at Lichess."""
