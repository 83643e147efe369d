"""Rulings: what the Laws answer, each with the article it rests on.

A ruling carries the meaning; the words a player hears come from the language pack.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from .facts import seconds

# fmt: off
KINDS = frozenset(
    {
        "touched", "obliged", "announced", "repeated", "not_understood", "ambiguous",
        "repeat_differs", "slip_corrected", "too_late", "executed", "executed_differs",
        "made", "not_made", "completed", "clock", "illegal", "penalty", "boards_differ",
        "boards_agree", "scoresheets", "correct_board", "take_back", "flag", "claim",
        "draw_offered", "draw_declined", "must_record", "answer", "arbiter_needed",
        "refused", "game_over", "adjusting", "extra_time", "two_boards", "special_board",
        "assistant", "late", "sealed", "adjourned", "explained", "presides",
    }
)
# fmt: on


@dataclass(frozen=True)
class Ruling:
    """One answer of the Laws.

    ``t`` is the time of the fact that caused it, in ms; ``kind`` and ``fields`` are those of the
    contract; ``articles`` are "edition article", at least one.
    """

    t: int
    kind: str
    fields: Mapping[str, Any]
    articles: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind} is no ruling of the contract")
        object.__setattr__(self, "fields", MappingProxyType(dict(self.fields)))

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def get(self, name: str) -> Any:
        return self.fields.get(name)

    def to_json(self) -> dict[str, Any]:
        """The contract's JSON object."""
        article: str | list[str] = (
            self.articles[0] if len(self.articles) == 1 else list(self.articles)
        )
        return {"t": seconds(self.t), "ruling": self.kind, **self.fields, "article": article}


def dumps(ruling: Ruling) -> str:
    """The ruling as one line of JSON."""
    return json.dumps(ruling.to_json(), ensure_ascii=False, separators=(",", ":"))
