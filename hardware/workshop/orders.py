"""Lists of parts to order for one board and for ten, as CSV, from bom.toml and the circuit.

There is one list for the board that is wired by hand, and one for the printed board. Prices are
guesses for planning, in euros before tax; they were never asked of a shop.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections import Counter
from dataclasses import dataclass

import circuit  # first: it finds the folder of the drawings
import design
import ladder
import pages

TEN = 10
SPARES_OF_TEN = 3
"""Ten boards need fewer spare parts than ten times those of one."""

COLUMNS = (
    "reference", "what", "look for", "limits", "unit", "needed for 1", "buy for 1",
    "needed for 10", "buy for 10", "first number", "second number",
    "guessed price each for 1, EUR", "guessed price each for 10, EUR",
    "guessed sum for 1, EUR", "guessed sum for 10, EUR",
)  # fmt: skip


@dataclass(frozen=True)
class Order:
    """A part to buy. ``numbers`` are those that shops know; empty where any will do."""

    reference: str
    description: str
    look_for: str
    limits: str
    unit: str
    needed: int
    spare: int
    numbers: tuple[str, ...]
    price: tuple[float, float]

    def buy(self, boards: int) -> int:
        return self.needed * boards + self.spare * (SPARES_OF_TEN if boards > 1 else 1)


class UnknownPartError(ValueError):
    """bom.toml and the circuit do not agree on a part of the printed board."""


def _limits(row: dict[str, object]) -> str:
    """The limits of a row, with the worst values that the ladder of resistors bears."""
    at = ladder.Conditions()
    return str(row.get("limits", "")).format(contact=at.contact[1], on=at.on_resistance[1])


def _codes(ohms: int) -> dict[str, str]:
    """How two makers write a resistance in their numbers: 4K7 and 4701, 820R and 8200."""
    for unit, factor in (("K", 1000), ("R", 1)):
        if ohms >= factor:
            whole, rest = divmod(ohms, factor)
            yageo = f"{whole}{unit}{str(rest).rstrip('0') if rest else ''}"
            break
    zeros = len(str(ohms)) - 3
    return {"yageo": yageo, "vishay": f"{ohms // 10**zeros}{zeros}"}


def _wired(data: dict[str, list[dict[str, object]]]) -> list[tuple[str, Order]]:
    """The rows of the bill of materials, each with ``only``, its way of building."""
    rows = [*data["part"], *([data["pegs"]] * len(ladder.ORDER))]
    found = []
    peg = iter(design.ohms().values())
    for row, part in zip(rows, pages.parts(), strict=True):
        numbers = tuple(row.get("order", ()))
        if row is data["pegs"]:
            numbers = tuple(
                number.format(**_codes(ohms)) for ohms in [next(peg)] for number in numbers
            )
        order = Order(
            part.reference, part.description, part.look_for, _limits(row), part.unit,
            part.needed, part.spare, numbers, tuple(row["price"]),
        )  # fmt: skip
        found.append((row.get("only", ""), order))
    return found


def _printed(data: dict[str, list[dict[str, object]]]) -> list[Order]:
    """What comes only with the printed board.

    Raises :class:`UnknownPartError` if a part of the circuit is on no row, or a row on none.
    """
    counts = {**design.counts(), "sockets": 2}
    waiting: dict[tuple[str, str], list[str]] = {}
    for part in circuit.parts():
        if part.footprint not in (circuit.JACK, circuit.NANO):
            waiting.setdefault((part.footprint.name, part.value), []).append(part.reference)
    found = []
    for row in data["printed"]:
        if "footprint" in row:
            keys = [
                key
                for key in waiting
                if key[0] == row["footprint"] and row.get("value", key[1]) == key[1]
            ]
            names = [name for key in keys for name in waiting.pop(key)]
            if not names:
                raise UnknownPartError(f"No part of the circuit is {row['description']}.")
            reference, needed = ", ".join(names), len(names)
        else:
            reference, needed = row["reference"], counts[row["count"]]
        found.append(
            Order(
                reference,
                row["description"],
                row.get("used", "on the printed board"),
                _limits(row),
                row.get("unit", ""),
                needed,
                row["spare"],
                tuple(row.get("order", ())),
                tuple(row["price"]),
            )
        )
    if waiting:
        names = ", ".join(name for group in waiting.values() for name in group)
        raise UnknownPartError(f"bom.toml has no [[printed]] row for {names}.")
    return found


def orders(printed: bool) -> list[Order]:
    """All that is bought for a board, wired by hand or ``printed``."""
    data = tomllib.loads((design.HARDWARE / "bom.toml").read_text("utf-8"))
    wired = _wired(data)
    if not printed:
        return [order for _, order in wired]
    return [*_printed(data), *(order for only, order in wired if only != "wires")]


def as_csv(found: list[Order]) -> str:
    """The list as CSV with a row of sums at its end."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    sums: Counter[int] = Counter()
    for order in found:
        first, second, *_ = (*order.numbers, "", "")
        one, ten = (
            order.buy(boards) * price for boards, price in zip((1, TEN), order.price, strict=True)
        )
        sums[1] += one
        sums[TEN] += ten
        rows.writerow(
            [
                order.reference, order.description, order.look_for, order.limits,
                order.unit or "pieces", order.needed, order.buy(1), order.needed * TEN,
                order.buy(TEN), first, second,
                *(f"{price:.2f}" for price in (*order.price, one, ten)),
            ]
        )  # fmt: skip
    rows.writerow(["sum", *[""] * 12, f"{sums[1]:.2f}", f"{sums[TEN]:.2f}"])
    return text.getvalue()
