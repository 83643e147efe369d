"""Tournament report files, written by hand from FIDE's description of the columns."""

from __future__ import annotations

from dataclasses import dataclass, field

#         1         2         3         4         5         6         7         8         9
# 23456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789
OPEN = """\
012 Try Open
062 5
001    1 m    Berg, Anna                        2010 SWE     1700001 1980/01/01  1.0    1     3 w 1     2 b
001    2 m  FMDahl, Bert                        2005 NOR     1500002 1981/02/02  1.0    2     4 b 1     1 w
001    3 w    Ek, Cecilia                       1990 SWE     1700003             0.0    4     1 b 0     4 w
001    4 m    Fors, David                       1980 SWE                         0.0    5     2 w 0     3 b
001    5 w    Gran, Eva                              DEN                         1.0    3  0000 - U  0000 - U
XXR 5
"""  # noqa: E501  # each line is one record
"""Round 1 is played, round 2 is paired; extended as pairing programs extend TRF16."""

TRF26 = OPEN.replace("XXR 5", "142 5\n152 W\n### a comment\n222 5400+30")


@dataclass
class Line:
    """A player's line, put together column by column."""

    number: int
    name: str
    points: str = ""
    rank: int | None = None
    games: list[tuple[int, str, str]] = field(default_factory=list)
    """Opponent, colour and result of each round."""

    def __str__(self) -> str:
        columns = [" "] * (91 + 10 * len(self.games))

        def put(first: int, last: int, text: str) -> None:
            columns[first - 1 : last] = text.rjust(last - first + 1)

        put(1, 3, "001")
        put(5, 8, str(self.number))
        put(15, 47, self.name.ljust(33))
        put(81, 84, self.points)
        put(86, 89, "" if self.rank is None else str(self.rank))
        for index, (opponent, colour, result) in enumerate(self.games):
            start = 92 + 10 * index
            put(start, start + 3, f"{opponent:04}" if not opponent else str(opponent))
            put(start + 5, start + 5, colour)
            put(start + 7, start + 7, result)
        return "".join(columns)
