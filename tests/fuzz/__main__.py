"""``python -m tests.fuzz [TARGET …] --inputs N --minutes M --seed S``: garbage for the parsers.

Without a target all are fed. What a parser did not stand is printed as Python's bytes, and the
exit status is 1; make a test of it in test_found.py. Where the package atheris is installed,
``--atheris`` lets it guide the search by what is executed; then one target must be named.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from tests.fuzz.engine import Report, fuzz
from tests.fuzz.targets import TARGETS, folder


def main() -> int:
    """Read the command line and feed the parsers."""
    reader = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    reader.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    reader.add_argument("--inputs", type=int, default=10**9, help="for each target")
    reader.add_argument("--minutes", type=float, default=1.0, help="for each target")
    reader.add_argument("--seed", type=int, default=0, help="another gives other inputs")
    reader.add_argument("--atheris", action="store_true", help="guided by coverage")
    given = reader.parse_args()
    unknown = [name for name in given.targets if name not in TARGETS]
    if unknown:
        reader.error(f"{unknown[0]} is not a target; there are {', '.join(TARGETS)}")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as temporary:
        folder(Path(temporary))
        if given.atheris:
            if len(given.targets) != 1:
                reader.error("name one target with --atheris")
            _guided(given.targets[0], given.minutes, given.seed)
        reports = [
            _told(fuzz(TARGETS[name], inputs=given.inputs, minutes=given.minutes, seed=given.seed))
            for name in given.targets or TARGETS
        ]
    return 1 if any(report.found for report in reports) else 0


def _told(report: Report) -> Report:
    print(report, flush=True)
    for found in report.found:
        print(f"  {found.what}\n    {found.data!r}", flush=True)
    return report


def _guided(name: str, minutes: float, seed: int) -> None:
    """Let atheris search; it ends the process."""
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        sys.exit("The package atheris is missing: run pip install atheris, or leave --atheris out.")
    target = TARGETS[name]
    corpus = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    for number, data in enumerate(target.seeds()):
        (corpus / str(number)).write_bytes(data[: target.most_bytes])

    def one(data: bytes) -> None:
        try:
            target.read(data)
        except target.refusals:
            return

    atheris.instrument_all()
    options = [f"-max_total_time={round(minutes * 60)}", f"-seed={seed + 1}", "-timeout=20"]
    options += [f"-max_len={target.most_bytes}", "-rss_limit_mb=4096", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
