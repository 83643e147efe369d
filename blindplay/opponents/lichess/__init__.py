"""Games at Lichess with its Board API: the account, the way to a game, and the opponent there."""
