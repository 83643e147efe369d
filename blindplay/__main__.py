"""``python -m blindplay``: the program where its command is not on the path, as on Windows."""

from blindplay.cli import main

main()
