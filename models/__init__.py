"""How the speech models are made and measured: ``python -m models --help`` in the repository."""
