"""Speech in and out: announcements spoken by pyttsx3, moves recognised by Vosk.

Nothing here knows chess. Words come in and words go out; the table connects them with the game.
"""
