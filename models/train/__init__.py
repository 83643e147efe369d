"""How the built-in speech models are made, from synthesised voices alone: see README.md here."""
