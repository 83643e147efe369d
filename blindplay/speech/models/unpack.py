"""Copy a model out of a zip file, or out of a folder, that somebody else made."""

import os
import shutil
import stat
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import IO, TypeVar

from blindplay.given import reason_of

from .folders import ModelError

MOST_FILES = 1000
MOST_BYTES = 4 << 30
"""No usable model is larger when unpacked."""
_CLUTTER = ("__MACOSX", ".DS_Store", "desktop.ini", "Thumbs.db")

_Path = TypeVar("_Path", bound=PurePath)


def unpack(archive: Path, folder: Path, name: str = "") -> None:
    """Write the model in the zip file ``archive``, of several the one called ``name``, into the new
    folder ``folder``.

    The archive is refused as a whole, before anything is written, if it has too many files or
    bytes, or if a name in it leads out of the folder or belongs to a link or a device.

    :raises ModelError, OSError:
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            files = _files(opened.infolist(), archive)
            root = _the_one(map(_root, files), archive, name)
            model = {path: info for path, info in files.items() if path.is_relative_to(root)}
            check_space(folder, sum(info.file_size for info in model.values()))
            for path, info in model.items():
                with opened.open(info) as source:
                    _copy(source, folder / path.relative_to(root))
    except ModelError:
        raise
    except Exception as error:  # zipfile raises whatever its decompressors raise
        twice = isinstance(error, FileExistsError | NotADirectoryError)
        if isinstance(error, OSError) and error.errno is not None and not twice:
            raise
        raise ModelError(
            "{archive} is not a zip file, cannot be read, or is damaged ({error}); fetch it again.",
            archive=archive,
            error=reason_of(error),
        ) from None


def copy_folder(source: Path, folder: Path, name: str = "") -> None:
    """Write the model in the folder ``source``, or in a folder in it, of several the one called
    ``name``, into ``folder``.

    :raises ModelError: if there is no model in it, or if it holds a link or a device.
    :raises OSError:
    """
    source = source.resolve()
    inside = [source, *sorted(child for child in source.iterdir() if child.is_dir())]
    names = ("am/final.mdl", "final.mdl")
    acoustics = [place / kind for place in inside for kind in names if (place / kind).is_file()]
    model = _the_one(map(_root, acoustics), source, name)
    files = []
    for number, path in enumerate(sorted(model.rglob("*"))):
        if number > 2 * MOST_FILES:
            raise ModelError("{model} holds too many files for a model.", model=model)
        inner = path.relative_to(model)
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ModelError(
                "{inner} in {model} is a link or a device; a model has files only.",
                inner=inner.as_posix(),
                model=model,
            )
        if path.is_file() and not _is_clutter(inner):
            files.append(inner)
    check_space(folder, sum((model / inner).stat().st_size for inner in files))
    for inner in files:
        with (model / inner).open("rb") as stream:
            _copy(stream, folder / inner)


def check_space(folder: Path, needed: int) -> None:
    """Check that the disk of ``folder``, which need not exist, has this many bytes left.

    :raises ModelError: if it has fewer.
    """
    nearest = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(nearest).free
    if free < needed:
        raise ModelError(
            "The disk with {there} has {free} megabytes left and {needed} are needed; "
            "make room and run the same command again.",
            there=nearest,
            free=free >> 20,
            needed=(needed >> 20) + 1,
        )


def _files(infos: list[zipfile.ZipInfo], archive: Path) -> dict[PurePosixPath, zipfile.ZipInfo]:
    """Check the names and sizes in an archive, and return its files."""
    if len(infos) > MOST_FILES:
        raise ModelError(
            "{archive} holds {count} files; no model has so many.",
            archive=archive,
            count=len(infos),
        )
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise ModelError(
            "{archive} swells to more than {most_bytes} megabytes, so it was not unpacked.",
            archive=archive,
            most_bytes=MOST_BYTES >> 20,
        )
    files: dict[PurePosixPath, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.orig_filename
        path = PureWindowsPath(name)
        if not _is_inside(name):
            raise ModelError(
                "{name} in {archive} leads outside of the model or is not a name for a "
                "file, so nothing was unpacked; do not use this archive.",
                name=repr(name),
                archive=archive,
            )
        if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFDIR, stat.S_IFREG):
            raise ModelError(
                "{name} in {archive} is a link or a device, so nothing was unpacked.",
                name=repr(name),
                archive=archive,
            )
        if not name.endswith(("/", "\\")) and not _is_clutter(path):
            files[PurePosixPath(*path.parts)] = info
    return files


def _is_inside(name: str) -> bool:
    """Return whether a name with folders leads to a file in its own folder, on every system."""
    path = PureWindowsPath(name)  # it knows both separators
    return bool(path.parts) and not (path.anchor or ".." in path.parts or {":", "\0"} & {*name})


def _root(file: _Path) -> _Path | None:
    """Return the folder of the model whose acoustics this file is; None if it is another file."""
    return file.parents[file.parent.name == "am"] if file.name == "final.mdl" else None


def _the_one(roots: Iterable[_Path | None], source: Path, name: str) -> _Path:
    """Return the only folder of a model, or of several the one called ``name``. Raises
    ModelError."""
    candidates = sorted({root for root in roots if root is not None})
    models = [root for root in candidates if not any(up in candidates for up in root.parents)]
    if not models:
        raise ModelError(
            "{source} holds no speech model: there is no am/final.mdl in it.", source=source
        )
    called = [root for root in models if len(models) == 1 or root.name == name]
    if len(called) != 1:
        raise ModelError(
            "{source} holds {count} models: {models}; put the name of one before "
            "--from, or give its own folder.",
            source=source,
            count=len(models),
            models=", ".join(root.name for root in models),
        )
    return called[0]


def _is_clutter(path: PurePath) -> bool:
    """Return whether an operating system put it there."""
    return path.parts[0] == _CLUTTER[0] or path.name in _CLUTTER[1:]


def _copy(source: IO[bytes], target: Path) -> None:
    """Copy to a new file, and force it to the disk."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as stream:
        shutil.copyfileobj(source, stream, 1 << 20)
        stream.flush()
        os.fsync(stream.fileno())
