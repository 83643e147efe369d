"""The page on which people ask where they play, because they cannot see a list of pairings."""

from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from blindplay.console import views
from blindplay.console.messages import catalogue
from blindplay.console.requests import accepted
from blindplay.language import load

from .rounds import kept_round, place_in_words, where
from .trf import spoken_name

_LONGEST = 100  # characters of a name


class WherePage:
    """It needs no link. ``folder`` is the hall's, with the rounds that were paired; ``title`` is
    the event's name for people."""

    def __init__(self, folder: Path, title: str) -> None:
        self._folder, self._title = folder, title
        self.route = Route("/where", self._page)

    def _page(self, request: Request) -> Response:
        language = accepted(request)
        name = request.query_params.get("name", "").strip()[:_LONGEST]
        page = views.render(
            "hall/where.html",
            language,
            title=self._title,
            name=name,
            found=self._found(name, language) if name else [],
        )
        return HTMLResponse(page)

    def _found(self, name: str, language: str) -> list[str]:
        """The answer, a sentence for each player of this name."""
        say = catalogue(language)
        try:
            paired = kept_round(self._folder)
        except (OSError, ValueError):
            return [say["hall_where_unread"]]
        if paired is None:
            return [say["hall_where_unpaired"]]
        # Whole words only: a single letter would list all players, without their consent.
        words = set(spoken_name(name).casefold().split())
        found = [one for one in where(paired, name) if words <= set(one.name.casefold().split())]
        told = [place_in_words(one, paired, load(language))[0] for one in found]
        return told or [say["hall_where_nobody"].format(name=name)]
