"""How well a voice is understood, and how much to believe a speech model: measured.

`corpus` says what is said, `conditions` what the room does to it, `scoring` what comes of it. The
others report, compare models, and fit the weights in a model's ``confidence.json``.
"""
