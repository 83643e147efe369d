"""Networks on Hugging Face: which files a repository has, and fetching those that are needed.

The hub's own list of a repository has the length of each file and its SHA-256, or for a small one
that of git. A file must have both. Its SHA-256 is kept, and a later download must have the same.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from . import folders
from .catalogue import BaseModel
from .download import DownloadError, Patience, Progress, download, fetch_text, megabytes
from .folders import NETWORKS, ModelError
from .pins import pin, pins
from .unpack import BESIDE_NETWORK, check_space, is_inside

_LONGEST_LIST = 4 << 20
_LONGEST_FILE = 4 << 30
_SHA256, _SHA1 = re.compile(r"[0-9a-f]{64}"), re.compile(r"[0-9a-f]{40}")
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
"""The name of a repository: its owner and its own name."""


@dataclass(frozen=True)
class HubFile:
    """A file of a repository. ``digest`` is its SHA-256, or git's SHA-1, of 40 digits."""

    path: str
    size: int
    digest: str

    @property
    def name(self) -> str:
        """Return its name in the model's folder."""
        return PurePosixPath(self.path).name


def fetch_network(
    base: BaseModel,
    hub: str,
    place: Path,
    tell: Callable[[str], None],
    progress: Progress,
    patience: Patience,
) -> dict[str, str]:
    """Fetch the files of a network to the folder ``place``, unless they are there, and check them.

    ``hub`` is the address of the hub. Return the SHA-256 of each file by its name. Raises
    ModelError, DownloadError or OSError; what came stays for the next time.
    """
    list_address = f"{hub}/api/models/{base.repository}/tree/main?recursive=true"
    text = fetch_text(list_address, most=_LONGEST_LIST, patience=patience)
    files = needed(_listed(text, list_address), base.repository)
    whole = sum(file.size for file in files)
    check_space(place, 2 * whole)
    address = f"{hub}/{base.repository}"
    tell(
        f"Fetching {base.name}, {megabytes(whole)}, from {address}; its licence: "
        f"{base.licence or address}."
    )
    sums = {}
    for file in files:
        target = place / file.name
        if not target.is_file():
            download(
                f"{hub}/{base.repository}/resolve/main/{file.path}", target, size=file.size,
                most=_LONGEST_FILE, patience=patience, progress=progress, trouble=tell,
            )  # fmt: skip
        try:
            sums[file.name] = _checked(file, target, base.repository)
        except ModelError:
            target.unlink()
            raise
    pin({f"{base.repository}/{name}": sha256 for name, sha256 in sums.items()})
    return sums


def needed(files: list[HubFile], repository: str) -> list[HubFile]:
    """Return the files of a network that BlindPlay needs: the fastest weights, and what they and
    the vocabulary are in. Raises ModelError if the repository has no network for onnxruntime."""
    by_path = {file.path: file for file in files}
    weights = next(
        (path for place in ("", "onnx/") for name in NETWORKS if (path := place + name) in by_path),
        None,
    )
    if weights is None:
        raise ModelError(
            f"The repository {repository} has no ONNX network. Convert it on a machine with "
            f'PyTorch: pip install "optimum-onnx[onnxruntime]", then optimum-cli export onnx '
            f"--model {repository} FOLDER; and then: blindplay models install --from FOLDER."
        )
    # Large networks keep their weights in files beside, such as model.onnx.data or model.onnx_data.
    found = [path for path in by_path if path.startswith(weights)]
    found += [name for name in BESIDE_NETWORK if name in by_path]
    for path in found:
        if not is_inside(path) or "\\" in path:
            raise ModelError(
                f"{path!r} in the repository {repository} leads outside of the model or is not a "
                "name for a file, so nothing was fetched; do not use this repository."
            )
    return [by_path[path] for path in found]


def _listed(text: str, address: str) -> list[HubFile]:
    try:
        entries = json.loads(text)
        files = []
        for entry in entries:
            if entry["type"] == "file":
                path, size = str(entry["path"]), int(entry["size"])
                digest = str(entry["lfs"]["oid"] if entry.get("lfs") else entry["oid"]).lower()
                known = _SHA256.fullmatch(digest) or _SHA1.fullmatch(digest)
                if not known or not 0 <= size <= _LONGEST_FILE:
                    raise ValueError
                files.append(HubFile(path, size, digest))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise DownloadError(
            f"What {address} gives is not a list of models; try again later, or give the model's "
            "own file with --from."
        ) from None
    return files


def _checked(file: HubFile, there: Path, repository: str) -> str:
    """Return the SHA-256 of a file that came. Raises ModelError if it is another than listed, or
    than it was at the first download."""
    sha256 = folders.checksum(there)
    found = sha256
    if len(file.digest) == 40:  # git hashes the length, too
        data = there.read_bytes()
        found = hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
    if found != file.digest:
        raise ModelError(
            f"{file.path} of {repository} is not the file that is listed; it is not used. Run the "
            "same command again."
        )
    known = pins().get(f"{repository}/{file.name}")
    if known not in (None, sha256):
        raise ModelError(
            f"{file.path} of {repository} has changed since it first came: its SHA-256 is {sha256} "
            f"and was {known}. It is not used and nothing has been changed."
        )
    return sha256


def forget_downloads(place: Path) -> bool:
    """Remove what came of a network. Return whether there was anything."""
    there = place.is_dir()
    shutil.rmtree(place, ignore_errors=True)
    return there
