"""How well a voice is understood, and how much to believe a speech model: measured.

`corpus` says what is said, `conditions` what the room does to it, `figures` counts what comes of
it, and `calibration` makes of the same utterances the weights in a model's ``confidence.json``.
"""
