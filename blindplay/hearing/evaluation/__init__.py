"""How well a voice is understood, and how much a model's ears are to be believed: measured.

`corpus` says what is said, `conditions` what the room does to it, `figures` counts what comes of
it, and `fitting` makes of the same utterances the weights in a model's ``ears.json``.
"""
