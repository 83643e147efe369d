"""A UCI engine that does as its arguments say, one word for each search; the last word stays.

`good`: it moves the pawn of the a-file. `scored`: it gives a score, too. `late`: after a while.
`twice`: it says its move two times. `wrong`: an illegal move. `nonsense`: no move at all. `silent`:
nothing. `dies`: it ends. The file that is its first argument counts the searches, for it is started
again. It imports no chess, so it starts at once.
"""

import sys
import time
from pathlib import Path

_MOVES = {1: ("a7a5", "a5a4", "a4a3"), 0: ("a2a3", "a3a4", "a4a5")}


def main(words: list[str], place: Path) -> None:
    played = 0
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print("id name Scripted\nuciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position", *rest]:
                played = len(rest[rest.index("moves") + 1 :]) if "moves" in rest else 0
            case ["go", *_]:
                turn = int(place.read_text() or 0) if place.exists() else 0
                place.write_text(str(turn + 1))
                search(words[min(turn, len(words) - 1)], _MOVES[played % 2][played // 2])
            case ["quit"]:
                return


def search(word: str, best: str) -> None:
    if word == "dies":
        sys.exit(3)
    if word == "silent":
        return
    if word == "late":
        time.sleep(0.4)
    if word == "scored":
        print("info score cp 20", flush=True)
    answer = {"wrong": "bestmove e1e8", "nonsense": "bestmove xyz"}.get(word, f"bestmove {best}")
    print(*[answer] * (2 if word == "twice" else 1), sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[2:], Path(sys.argv[1]))
