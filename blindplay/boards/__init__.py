"""Boards with sensors: wire protocols, drivers and emulators, one module or folder for each maker.

All makers share :mod:`events`, which a table receives; :mod:`ports`, which lists, opens and
explains serial ports; :mod:`wireless`, which does so for Bluetooth and USB HID; :mod:`driver`,
which probes, searches, connects and reconnects; and :mod:`cable`, the line of a board in software.
:mod:`livechess` serves a board of any maker to other programs.

Most boards report whole positions. For such a maker, make one module with a subclass of
:class:`reporting.Framer` and one of :class:`reporting.ReportingBoard`. Say in
``tests/boards/wires.py`` how the board speaks, and the tests of all boards try it.

For a board of another kind, make a folder with these modules:

- ``protocol.py``: ``Decoder.feed(bytes) -> list[Message]`` without I/O. A capture that is fed
  whole, in chunks or byte by byte gives the same messages.
- ``driver.py``: a subclass of :class:`driver.BoardState`, also without I/O. It turns bytes into
  events, gives the requests to the board, and begins each connection with a ``Connected`` event.
  And a subclass of :class:`driver.BoardDriver` with its name, its state, and the ports that a
  search may open. It takes a URL, not a device.

Name the driver in :data:`makers.DRIVERS`. Test it against an emulator behind a
:class:`cable.Cable`, on a pseudo terminal and on a socket.
"""
