"""Measurements of every part of BlindPlay. Nothing else imports them."""
