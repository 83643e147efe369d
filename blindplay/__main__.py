"""``python -m blindplay``: for systems where the command is not on the path, such as Windows."""

import sys

from blindplay.cli import main

sys.exit(main())
