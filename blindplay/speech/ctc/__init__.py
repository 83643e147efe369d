"""Recognition with networks of other makers: any ONNX network with a CTC head.

CTC is connectionist temporal classification: for every frame of sound the network gives the
probability of each letter or piece of a word, and of *blank*, which means nothing new. From these
numbers the probability of a whole phrase can be computed exactly (`scoring`).

`alphabet` reads the network's vocabulary and spells words, `graph` makes one graph of all phrases
that are expected, `search` proposes other words, `network` runs the network, and `recogniser` does
for all that what `Recogniser` does for Vosk.
"""
