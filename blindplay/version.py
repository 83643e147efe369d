"""The version of BlindPlay, which every room may read. The package takes it from here."""

VERSION = "1.0.0"
