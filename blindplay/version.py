"""The version of BlindPlay, which every room may read. It is that of pyproject.toml."""

VERSION = "0.1.0"
