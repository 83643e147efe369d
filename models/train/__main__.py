"""Make a built-in model: synthesis, training, export, graph, evaluation.

    python -m models.train LANGUAGE [--without KIND,…] [--recordings FOLDER]

Each step leaves its result in the work folder and is skipped if that is there. An interrupted step
continues. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from blindplay.language import lexicon
from blindplay.speech.adaptation import Vocabulary, adapt
from blindplay.speech.models.folders import seal_built_in
from models.train import evaluation
from models.train.export import export, read
from models.train.network import Network
from models.train.phrases import phones
from models.train.synthesis import Utterance, shards, synthesised, utterances
from models.train.voices import voices

UTTERANCES, STEPS, SEED = 15_000, 6_000, 1
"""The defaults."""
STEPS_ON = 2_000
"""The default number of steps that continue from another model's network."""
_TESTED = 120  # utterances of each voice that trained nothing


@dataclass(frozen=True)
class Order:
    """What to make, and where. ``without`` are kinds of voices to leave out; ``start`` is a model
    from whose network the training continues."""

    language: str
    work: Path
    utterances: int
    steps: int
    batch: int
    keep: float
    seed: int
    threads: int
    without: tuple[str, ...]
    start: Path | None
    recordings: Path | None

    @property
    def speech(self) -> Path:
        """Return the folder of the synthesised speech."""
        return self.work / self.language / "speech"

    @property
    def made(self) -> Path:
        """Return the folder of the network and the model."""
        name = "without-" + "-".join(self.without) if self.without else "all"
        return self.work / self.language / name


def say(sentence: str) -> None:
    """Report the progress."""
    print(sentence, flush=True)


def make(order: Order) -> Path:
    """Make the model, and return its folder.

    :raises ValueError, OSError:
    """
    start = order.start if order.keep else None
    if start is not None and read(start).phones != tuple(phones(order.language)):
        raise ValueError("--keep needs a --start of the same language; leave it out.")
    speak(order)
    network = trained(order)
    model = order.made / "model"
    export(network, model)
    known = lexicon(order.language)
    words = Vocabulary({**known.words, **known.fillers}, known.squares)
    report = adapt(model, model, words)
    seal_built_in(model)
    size = sum(file.stat().st_size for file in model.rglob("*") if file.is_file())
    say(f"Model: {report.words} words, {size / 1e6:.1f} MB, in {model}.")
    measure(order, network, model)
    return model


def speak(order: Order) -> None:
    """Synthesise the speech that is missing, in as many processes as threads are wanted."""
    order.speech.mkdir(parents=True, exist_ok=True)
    chosen = [voice for voice in voices(order.language) if voice.kind not in order.without]
    for voice in chosen:
        say(f"Voice: {voice.name}; {voice.licence}.")
    parts = shards(order.language, chosen, order.utterances, order.seed)
    began = time.monotonic()
    with ThreadPoolExecutor(order.threads) as pool:
        done = [pool.submit(synthesised, part, order.speech) for part in parts]
        for number, one in enumerate(as_completed(done), 1):
            if one.result() or number == len(parts):
                minutes = (time.monotonic() - began) / 60
                say(f"Speech: {number} of {len(parts)} parts after {minutes:.1f} minutes.")


def spoken(order: Order) -> list[Utterance]:
    """Return the synthesised speech."""
    return utterances(order.speech, lambda kind: kind not in order.without)


def trained(order: Order) -> Network:
    """Train the network, or read it."""
    file = order.made / "network.npz"
    if file.is_file():
        say(f"Network: {file} is there already.")
        return Network.load(file)
    # PyTorch takes seconds to load, and is not needed if the network is there.
    from models.train.training import Progress, train

    def tell(progress: Progress) -> None:
        say(
            f"Training: step {progress.step} of {progress.steps}, loss {progress.loss:.2f}, "
            f"{progress.seconds / 60:.1f} minutes of processor time."
        )

    speech = spoken(order)
    hours = sum(one.samples for one in speech) / 16_000 / 3600
    say(f"Training on {len(speech)} utterances, {hours:.1f} hours.")
    order.made.mkdir(parents=True, exist_ok=True)
    start = None if order.start is None else read(order.start)
    network, wrong = train(
        speech,
        phones(order.language),
        order.steps,
        order.seed,
        order.made / "checkpoint.pt",
        tell,
        order.threads,
        start,
        order.batch,
    )
    say(f"Network: {wrong:.1%} of the phones wrong in rooms and noise as in training.")
    if start is not None and order.keep:
        network = network.blended(start, order.keep)
        say(f"Network: blended with the one that it began with, which counts {order.keep:.0%}.")
    network.save(file)
    return network


def measure(order: Order, network: Network, model: Path) -> None:
    """Report how well voices are understood that trained nothing, and keep the figures."""
    tests = list(evaluation.unheard(order.language, _TESTED, order.seed, order.without))
    if order.recordings is not None:
        tests += evaluation.recordings(order.recordings)
    phones_wrong = evaluation.phones_wrong(network, tests)
    words_right = evaluation.words_right(model, order.language, tests)
    for kind, (wrong, count) in phones_wrong.items():
        say(f"Never heard, {kind}: {wrong / count:.1%} of {count} phones wrong.")
    for kind, (right, count) in words_right.items():
        say(f"Never heard, {kind}: {right} of {count} single words right.")
    figures = {"phones wrong, of": phones_wrong, "single words right, of": words_right}
    text = json.dumps(figures, ensure_ascii=False, indent=1)
    (order.made / "figures.json").write_text(text + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.train", description=__doc__)
    parser.add_argument("language", help="code of a language pack with pronunciations")
    parser.add_argument("--work", type=Path, default=Path("build/models"), help="work folder")
    parser.add_argument("--utterances", type=int, default=UTTERANCES, help="how much is spoken")
    parser.add_argument("--steps", type=int, help=f"{STEPS}, or {STEPS_ON} after --start")
    parser.add_argument("--batch", type=int, default=32, help="utterances in a step")
    parser.add_argument("--keep", type=float, default=0.0, help="share of --start to keep: 0 to 1")
    parser.add_argument("--seed", type=int, default=SEED, help="another seed, another model")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--without", default="", help="kinds of voices to be left out: kokoro,joe")
    parser.add_argument("--start", type=Path, help="a built-in model to begin with: models/de")
    parser.add_argument("--recordings", type=Path, help="folder of people to measure with")
    given = parser.parse_args(arguments)
    order = Order(
        given.language,
        given.work,
        given.utterances,
        given.steps or (STEPS if given.start is None else STEPS_ON),
        given.batch,
        given.keep,
        given.seed,
        given.threads,
        tuple(sorted(filter(None, given.without.split(",")))),
        given.start,
        given.recordings,
    )
    try:
        model = make(order)
    except (ValueError, OSError) as error:
        raise SystemExit(str(error)) from error
    say(f"Try it: python -m benchmarks voice --language {order.language} --model {model}")


if __name__ == "__main__":
    main(sys.argv[1:])
