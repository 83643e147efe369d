"""The pairings and the results of rounds: their files, and the games of the tables."""
