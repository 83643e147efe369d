"""Benchmarks of BlindPlay: ``python -m benchmarks --help`` in the repository."""
