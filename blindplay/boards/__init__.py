"""Boards with sensors: wire protocols, drivers and emulators, one folder for each maker.

All makers share :mod:`events`, which a table receives; :mod:`ports`, which lists, opens and
explains serial ports; :mod:`driver`, which probes, searches, connects and reconnects; and
:mod:`cable`, the line of a board in software.

To add a maker, make a folder with these modules:

- ``protocol.py``: ``Decoder.feed(bytes) -> list[Message]`` without I/O. A capture that is fed
  whole, in chunks or byte by byte gives the same messages.
- ``state.py``: a subclass of :class:`driver.BoardState`, also without I/O. It turns bytes into
  events, gives the requests to the board, and begins each connection with a ``Connected`` event.
- ``driver.py``: a subclass of :class:`driver.BoardDriver` with its name, its state, and the ports
  that a search may open. It takes a URL, not a device.

Export the driver from the folder's ``__init__.py`` and name it in :data:`makers.DRIVERS`. Test it
against an emulator behind a :class:`cable.Cable`, on a pseudo terminal and on a socket.
"""
