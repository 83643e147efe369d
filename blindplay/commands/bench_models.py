"""``blindplay bench models``: which speech models hear best, each alone and together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from blindplay import language

CountOption = Annotated[
    int, typer.Option(help="Moves a condition; half as many illegal ones and talk.", min=4)
]
ConditionsOption = Annotated[
    str | None,
    typer.Option(help="Of clean, a level of babble in dB such as 10, pink10, hum10, room."),
]
VoicesOption = Annotated[str, typer.Option(help="Voices of this machine, as de+croak,de+fast.")]
RecordingsOption = Annotated[
    Path | None,
    typer.Option(help='Folder with recordings; index.jsonl: {"file", "words", "fen"} a line.'),
]


def bench_models(
    language_id: Annotated[str, typer.Option("--language", help="Language spoken.")] = "de",
    model: Annotated[
        list[Path] | None,
        typer.Option("--model", help="Folder of a model; may be repeated. All there are, if none."),
    ] = None,
    count: CountOption = 80,
    conditions: ConditionsOption = None,
    voices: VoicesOption = "",
    recordings: RecordingsOption = None,
    enrol: Annotated[
        bool, typer.Option("--enrol", help="Also after learning each voice from half of it.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, an object a line.")] = False,
) -> None:
    """Compare speech models: each alone, and up to three together, on the same utterances.

    Moves right, asked, refused and wrong, other speech, size, memory and processor time.
    """
    from blindplay.hearing.evaluation import comparison, report

    chosen = tuple(name.strip() for name in voices.split(",") if name.strip())
    options = report.Options(
        tuple(model or ()),
        count,
        count // 2,
        conditions or comparison.CONDITIONS,
        chosen,
        recordings,
    )
    for line in comparison.compare(language.load(language_id), options, enrolled=enrol):
        if isinstance(line, str) != as_json:
            told = line if isinstance(line, str) else json.dumps(line.as_json(), ensure_ascii=False)
            print(told, flush=True)
