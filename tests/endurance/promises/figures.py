"""What the harness has counted, measured and found."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator


class Figures:
    """Cases, faults and measures of each attack."""

    def __init__(self) -> None:
        self.cases: Counter[str] = Counter()
        self._faults: dict[str, list[str]] = defaultdict(list)
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.measures: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, attack: str, cases: int, faults: list[str], where: str) -> None:
        """Count cases of an attack and what was wrong in them."""
        self.cases[attack] += cases
        self._faults[attack] += [f"{where}: {fault}" for fault in faults]

    def count(self, attack: str, **counts: int) -> None:
        """Count other things, such as rulings."""
        self.counts[attack].update(counts)

    def measure(self, attack: str, name: str, value: float) -> None:
        """Take a measured value."""
        self.measures[attack][name].append(value)

    @property
    def faults(self) -> list[str]:
        """Everything that was wrong."""
        return [fault for found in self._faults.values() for fault in found]

    def lines(self) -> Iterator[str]:
        """Yield a table of all figures, and then what was wrong."""
        yield from [
            "| attack | cases | failures | counted | measured: median, at most |",
            "|---" * 5 + "|",
        ]
        for attack, cases in self.cases.items():
            counted = ", ".join(f"{number} {name}" for name, number in self.counts[attack].items())
            measured = "; ".join(
                f"{name}: {statistics.median(values):.3f}, {max(values):.3f}"
                for name, values in self.measures[attack].items()
            )
            failures = len(self._faults[attack])
            yield f"| {attack} | {cases} | {failures} | {counted} | {measured} |"
        yield from self.faults
