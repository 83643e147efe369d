"""Make the built-in speech models from synthesised voices alone; see README.md here."""
