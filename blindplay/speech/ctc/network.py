"""A network in a folder, run by onnxruntime: from sound to the scores of its outputs.

These layouts are known. In each, the weights are one of `NETWORKS`, and may be in a second file
that the first one names.

- onnx-asr: vocab.txt, config.json. NeMo's networks get mel bands, wav2vec2 the samples.
- sherpa-onnx: tokens.txt.
- Hugging Face: vocab.json, config.json, preprocessor_config.json.
"""

import importlib.util
import os
import time
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..audio import RATE
from ..models.folders import ModelError, network_file, no_model, verify
from .alphabet import Alphabet, read_alphabet, read_json
from .features import Samples, log_mel, normalised, samples
from .onnx_files import check_onnx_file

LONGEST_S = 1.5
"""A network that needs more seconds for `USUAL_S` seconds of sound does not listen: the ruling
would come too late."""
USUAL_S = 5.0
_TRIES = 3  # the machine may be busy for a moment
_MOST_SECONDS = 30.0  # of sound; the rest of longer noise is not an announcement
_SPARE_OUTPUTS = 8  # vocabularies may lack some marks, or have some more
_MEL_BANDS = (64, 80, 128)


class CtcNetwork:
    """A loaded network. Running it is thread-safe.

    ``threads``: how many processors it uses, by default half of those there are. Raises ModelError
    if it cannot be loaded, is damaged, or is of an unknown kind, or if a file has changed since it
    was installed.
    """

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        weights = network_file(folder)
        if weights is None:
            raise no_model(folder)
        verify(folder)
        check_onnx_file(weights)
        self.folder = folder
        alphabet = read_alphabet(folder)
        self._config = _optional(folder / "config.json")
        self._preparation = _optional(folder / "preprocessor_config.json")
        if self._preparation.get("sampling_rate", RATE) != RATE:
            raise self._unknown(f"sampling_rate={self._preparation['sampling_rate']}")
        self._session = _session(weights, threads or max(1, (os.cpu_count() or 1) // 2))
        self._sound, self._others = self._inputs()
        self.alphabet = self._fitting(alphabet)

    def logits(self, pcm: bytes) -> npt.NDArray[np.float32]:
        """Return the scores of the outputs (frames, outputs) for 16 kHz 16-bit sound. Raises
        ModelError if the network gives no numbers."""
        found = self._run(pcm)[:, : len(self.alphabet.texts)]
        if not np.isfinite(found.max(axis=1)).all() or np.isnan(found).any():
            raise ModelError(
                f"The network in {self.folder} gives what is not a number; it cannot be used."
            )
        return found

    @cached_property
    def usual_work_s(self) -> float:
        """Return the seconds that it needs for `USUAL_S` of sound here: the best of a few tries."""
        noise = np.random.default_rng(0).integers(-2000, 2000, int(USUAL_S * RATE)).astype("<i2")
        best = float("inf")
        for _ in range(_TRIES):
            since = time.perf_counter()
            self._run(noise.tobytes())
            best = min(best, time.perf_counter() - since)
            if best <= LONGEST_S:
                break
        return best

    def _inputs(self) -> tuple[Any, list[Any]]:
        """Return the input that takes the sound, and the others, which say how long it is."""
        there = self._session.get_inputs()
        sound = [one for one in there if "float" in one.type and len(one.shape) in (2, 3)]
        others = [one for one in there if one not in sound]
        known = all(one.type == "tensor(int64)" and len(one.shape) in (1, 2) for one in others)
        if len(sound) != 1 or not known:
            raise self._unknown("inputs=" + ",".join(one.name for one in there)[:200])
        return sound[0], others

    def _run(self, pcm: bytes) -> npt.NDArray[np.float32]:
        """Return the outputs of the network (frames, outputs)."""
        prepared = self._prepared(samples(pcm[: int(_MOST_SECONDS * RATE) * 2]))
        length = prepared.shape[-1]
        feeds: dict[str, Any] = {self._sound.name: prepared[None]}
        for one in self._others:
            mask = len(one.shape) == 2
            feeds[one.name] = np.ones((1, length), np.int64) if mask else np.array([length])
        try:
            found = self._session.run(None, feeds)[0]
        except Exception as error:  # onnxruntime raises many kinds
            raise ModelError(
                f"The network in {self.folder} cannot be run ({_first_line(error)}); it is "
                "not a CTC network that BlindPlay knows, or it is damaged."
            ) from None
        if found.ndim != 3 or found.shape[0] != 1 or not found.shape[1]:
            raise self._unknown(f"shape={found.shape}")
        return np.asarray(found[0], np.float32)

    def _prepared(self, sound: Samples) -> Samples:
        if len(self._sound.shape) == 3:
            return log_mel(sound, self._bands)
        # onnx-asr's networks do it themselves; Hugging Face's own want it unless they say no.
        own = self._config.get("model_type") == "wav2vec2-ctc"
        return normalised(sound) if self._preparation.get("do_normalize", not own) else sound

    @cached_property
    def _bands(self) -> int:
        bands = self._sound.shape[1]
        if not isinstance(bands, int):
            bands = self._config.get("features_size", 80)
        if bands not in _MEL_BANDS:
            raise self._unknown(f"bands={bands}")
        return int(bands)

    def _fitting(self, alphabet: Alphabet) -> Alphabet:
        """Return the alphabet, without names for which there is no output."""
        there = self._run(bytes(2 * RATE)).shape[1]
        named = len(alphabet.texts)
        if abs(there - named) > _SPARE_OUTPUTS or alphabet.blank >= there:
            raise self._unknown(f"outputs={there},vocabulary={named}")
        return Alphabet(alphabet.texts[:there], alphabet.blank, alphabet.lexicon)

    def _unknown(self, what: str) -> ModelError:
        """Return the error of a network of another kind; ``what`` is for engineers."""
        return ModelError(
            f"The network in {self.folder} is not a CTC network of a known kind ({what}); take "
            "another."
        )


def check_onnxruntime(model: str) -> None:
    """Raise ModelError about ``model`` if onnxruntime is not installed."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise ModelError(
            f"{model} is an ONNX network, and onnxruntime, which runs it, is not installed; "
            'install it with: pip install "blindplay[onnx]".'
        )


def _session(weights: Path, threads: int) -> Any:
    check_onnxruntime(str(weights.parent))
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # errors come as exceptions, too
    # Threads that wait for work in a loop would take the processor from the other models.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises many kinds
        raise ModelError(
            f"onnxruntime cannot load {weights} ({_first_line(error)}); fetch the model again."
        ) from None


def _optional(file: Path) -> dict[str, object]:
    return read_json(file) if file.is_file() else {}


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
