"""Speech in and out: announcements spoken by pyttsx3, moves heard by Vosk.

Nothing here knows chess: words come in and words go out. The table wires it to the game.
"""
