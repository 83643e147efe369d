"""What the console needs of a running table."""

from blindplay.console.table_port import held, tape_of
from blindplay.record import Tape
from blindplay.record.tape import tape_folder
from tests.console.hall import Hall


def test_a_table_without_a_tape_has_no_recordings(hall: Hall) -> None:
    assert tape_of(hall.table) == {}
    tape = Tape(tape_folder(hall.table.path))
    said = tape.keep(bytes(800), 16_000, t=5, ply=1, by="table", words="Bauer Eva vier")
    assert tape_of(hall.table) == {1: said}


def test_a_held_game_is_the_tables(hall: Hall) -> None:
    with held(hall.table) as game:
        assert game is hall.table.game
