"""A UCI engine that does as its arguments say. The file that is the first of them counts the
searches, for the engine is started again. It imports no chess, so it starts at once.

Words that begin with ``+`` say how it is. ``+mute``: it never answers ``uci``. ``+exits``: it ends
there. ``+banner``: it prints what is no UCI. ``+crlf``: its lines end as those of Windows.
``+unready``: it never says that it is ready. ``+slow``: it is ready after a while. ``+stays``: it
does not end when it is told to. ``+option …``: this is one of its options; if it gets a value
outside of the limits, it ends.

The other words say what it does, one for each search; the last one stays. ``good``: it moves the
pawn of the a-file. ``scored``: it gives a score, too. ``ponders``: it says what it expects.
``capitals``: it writes its move in capital letters. ``chatty``: it says much before, also what is
no text. ``late``: after a while. ``twice``: it says its move two times. ``wrong``: an illegal move.
``nonsense``: no move at all. ``none``: that there is no move. ``silent``: nothing. ``dies``: it
ends.
"""

import re
import sys
import time
from pathlib import Path

_MOVES = {1: ("a7a5", "a5a4", "a4a3"), 0: ("a2a3", "a3a4", "a4a5")}


def main(words: list[str], place: Path) -> None:
    traits = {word[1:] for word in words if word.startswith("+")}
    searches = [word for word in words if not word.startswith("+")]
    played, limits = 0, {}
    sys.stdout.reconfigure(newline="\r\n" if "crlf" in traits else "\n")  # type: ignore[union-attr]
    if "banner" in traits:
        print("Scripted 1.0, by nobody\n", flush=True)
    for line in sys.stdin:
        match line.split():
            case ["uci"] if "exits" in traits:
                return
            case ["uci"] if "mute" not in traits:
                print("id name Scripted")
                for option in filter(lambda trait: trait.startswith("option"), traits):
                    print(option)
                    if found := re.search(r"name (\S+) .*min (\d+) max (\d+)", option):
                        limits[found[1]] = range(int(found[2]), int(found[3]) + 1)
                print("uciok", flush=True)
            case ["isready"] if "unready" not in traits:
                if "slow" in traits:
                    time.sleep(0.4)
                print("readyok", flush=True)
            case ["setoption", "name", name, "value", value] if name in limits:
                if int(value) not in limits[name]:
                    sys.exit(4)
            case ["position", *rest]:
                played = len(rest[rest.index("moves") + 1 :]) if "moves" in rest else 0
            case ["go", *_]:
                turn = int(place.read_text() or 0) if place.exists() else 0
                place.write_text(str(turn + 1))
                word = searches[min(turn, len(searches) - 1)]
                search(word, _MOVES[played % 2][played // 2])
            case ["quit"] if "stays" not in traits:
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
    if word == "chatty":
        sys.stdout.flush()
        sys.stdout.buffer.write(b"info string na\xefve\n" + b"info depth x pv y\n" * 2000)
    answer = {
        "wrong": "bestmove e1e8",
        "nonsense": "bestmove xyz",
        "none": "bestmove (none)",
        "ponders": f"bestmove {best} ponder e1e8",
        "capitals": f"bestmove {best.upper()}",
    }.get(word, f"bestmove {best}")
    print(*[answer] * (2 if word == "twice" else 1), sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[2:], Path(sys.argv[1]))
