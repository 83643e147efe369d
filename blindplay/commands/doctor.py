"""``blindplay doctor``: what a table needs, and what of it is there."""

from pathlib import Path

import click

from blindplay.language import Language

from . import options
from .reader import READER


@click.command()
@options.language(help="Check for a table in this language.")
@click.option(
    "--model",
    type=options.FOLDER,
    help="Use the Vosk model in this folder instead of the chosen one.",
)
@click.option("--microphone", help="Use the microphone with this in its name.")
@options.as_json(help="Print JSON, one object per line.")
@click.option("--report", type=options.FILE, help="Write a file without names, to send to others.")
def doctor(
    pack: Language, model: Path | None, microphone: str | None, as_json: bool, report: Path | None
) -> int:
    """Check what a table needs, and say how to get what is missing.

    The exit status is 1 if something is missing without which no table can be run. A table can do
    without boards, a microphone and a loudspeaker.
    """
    from blindplay.commands import diagnosis

    options.check_folder_of(report)
    found = []
    for finding in diagnosis.examine(pack, model, microphone):
        found.append(finding)
        shown = {
            "ok": finding.ok,
            "needed": finding.needed,
            "about": finding.about,
            "sentence": READER.told(finding.sentence),
        }
        words = f"{READER.told(finding.verdict)}: {shown['sentence']}"
        options.show(shown if as_json else words)
    if report is not None:
        report.write_text(diagnosis.report(found), "utf-8")
        if not as_json:
            options.show(f"The report is in {report}; read it before you send it.")
    return 1 if any(one.needed and not one.ok for one in found) else 0
