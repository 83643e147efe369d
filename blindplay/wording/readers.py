"""The language in which each person at a table reads, hears and commands."""

from functools import cache

from blindplay.language import Language, ReaderLanguage, in_language, join, load
from blindplay.laws import Game

from .pack_words import PackWords, code_of


@cache
def _packs() -> PackWords:
    return PackWords()


def announcing(game: Game) -> Language:
    """The words in which moves are announced now (D.2.1). German for a language without a pack."""
    return _packs().pack(game.announcing_language())


def name_of_announcements(game: Game) -> str:
    """Return the name of the language of announcements, in that language; with other ranks, also
    the name of theirs."""
    own, _, ranks = game.announcing_language().partition("+")
    packs = [_packs().pack(code) for code in (own, ranks) if code]
    return join(", ", [in_language(pack.name, pack.code) for pack in packs], packs[0].code)


def reader(own: Language, game: Game) -> Language:
    """The words for a reader of ``own``: moves are announced in the table's language."""
    return ReaderLanguage(own, lambda: announcing(game))


class Readers:
    """The people at the table of ``game``. Everybody together, and a player without a language of
    their own, read ``pack``."""

    def __init__(self, game: Game, pack: Language) -> None:
        self._game = game
        self._pack = pack
        self._readers = {"": reader(pack, game)}

    @property
    def everybody(self) -> Language:
        """The words for everybody at the table."""
        return self._readers[""]

    @property
    def languages(self) -> list[Language]:
        """The languages that people read here, each once; first that of everybody."""
        read = (self.everybody, self.of("white"), self.of("black"))
        return list({one.code: one for one in read}.values())

    def of(self, who: str | None) -> Language:
        """The words for a player ("white"), an assistant or the arbiter; None: for everybody."""
        side = (who or "").removeprefix("assistant:")
        if side not in ("white", "black") or self._game.setup is None:
            return self.everybody
        language = self._game.player(side).language
        if language not in self._readers:
            code = code_of(language)
            own = self._pack if code in (None, self._pack.code) else load(code)
            self._readers[language] = reader(own, self._game)
        return self._readers[language]
