"""The pages on which players find their game, without a crowd before a list of pairings.

They need no link, so they say what that list says about the asked name, and no more.
"""

import hashlib
import io
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlencode

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from blindplay.console import views
from blindplay.console.access import RateLimiter
from blindplay.console.actions import value_of
from blindplay.console.limits import is_here
from blindplay.console.messages import catalogue
from blindplay.console.requests import accepted, address_of, form_of
from blindplay.language import load

from .event_file import is_address
from .mails import Mails
from .pairings.rounds import PlayerPlace, place_in_words, told_round, where

_LONGEST_NAME = 100  # characters of a name that somebody asks for
_SENT = {"yes": "mail_sent", "no": "mail_full"}
_STYLES = ("signals.css", "mine.css")
_HEADERS = {"connection": "close"}  # many telephones ask, and each only now and then


_Places = list[tuple[PlayerPlace, str, str]]
"""The places of players in the newest round, each with that round and a sentence."""


class PlayerPages:
    """The pages. ``folder``: that of the hall, with the pairings. ``title``: the event's name for
    people. ``url``: where the pages are reached. ``mails`` None: the hall sends none."""

    def __init__(self, folder: Path, title: str, url: str, mails: Mails | None = None) -> None:
        self._folder, self._title, self._url, self._mails = folder, title, url, mails
        self.ordering = RateLimiter(a_second=1 / 60, at_once=5)  # mails, for one address
        self.ordering_all = RateLimiter(a_second=1, at_once=100)
        self.routes: list[BaseRoute] = [
            Route("/where", self._where),
            Route("/where/mine", self._mine),
            Route("/where/mine/now", self._now),
        ]
        if mails is not None:
            self.routes += [
                Route("/where/mail", self._order, methods=["POST"]),
                Route("/where/mail/{token}", self._mail, methods=["GET", "POST"]),
            ]

    def _places(self, name: str, language: str) -> tuple[_Places, str]:
        """The places of the players with this name and, without any, a sentence on why."""
        say = catalogue(language)
        try:
            paired = told_round(self._folder)
        except (OSError, ValueError):
            return [], say["hall_where_unread"]
        if paired is None:
            return [], say["hall_where_unpaired"]
        pack, found = load(language), where(paired, name, whole_words=True)
        why = "" if found else say["hall_where_nobody"].format(name=name)
        return [(one, paired.round, place_in_words(one, paired, pack)[0]) for one in found], why

    async def _where(self, request: Request) -> Response:
        """The page that asks for a name, and answers."""
        name, language = _name(request), accepted(request)
        places, why = await run_in_threadpool(self._places, name, language) if name else ([], "")
        return self._page("where", language, name=name, places=places, why=why)

    async def _mine(self, request: Request) -> Response:
        """The page that a player keeps: it announces their next game."""
        return await self._whole(request, _name(request))

    async def _whole(self, request: Request, name: str, **more: Any) -> Response:
        language = accepted(request)
        places, why = await run_in_threadpool(self._places, name, language)
        sent = request.query_params.get("sent", "")
        told = catalogue(language)[_SENT[sent]] if sent in _SENT else ""
        mine = places[0][0].name if len(places) == 1 else name
        link = f"{self._address(request)}/where/mine?name={quote_plus(mine)}"
        values = {"told": told, "wrong": "", "address": "", **more}
        return self._page(
            "mine", language, name=name, places=places, why=why, key=_key(places), link=link,
            code=_code(link), mails=self._mails is not None, **values,
        )  # fmt: skip

    async def _now(self, request: Request) -> Response:
        """The place as it is now, for the script of the page."""
        language = accepted(request)
        places, why = await run_in_threadpool(self._places, _name(request), language)
        html = views.render("hall/places.html", language, places=places, why=why)
        told = " ".join(sentence for _place, _number, sentence in places)
        found = {"key": _key(places), "told": told, "html": html}
        return JSONResponse(found, headers=_HEADERS)

    def _address(self, request: Request) -> str:
        """Where a telephone reaches the pages: as this browser does, if it is not on the hall's own
        machine."""
        asked = request.url
        here = is_here(asked.hostname or "") or asked.hostname == "localhost"
        return self._url if here else f"{asked.scheme}://{asked.netloc}"

    # --- mails -----------------------------------------------------------------------------------

    async def _order(self, request: Request) -> Response:
        """Send a first mail to an address, for the one player with this name."""
        assert self._mails is not None
        form, language = await form_of(request), accepted(request)
        name, address = value_of(form, "name")[:_LONGEST_NAME], value_of(form, "address").strip()
        say = catalogue(language)
        if not is_address(address):
            return await self._whole(request, name, wrong=say["mail_wrong"], address=address[:200])
        places, _ = await run_in_threadpool(self._places, name, language)
        if not (self.ordering.take(address_of(request)) and self.ordering_all.take("")):
            return await self._whole(request, name, wrong=say["too_fast"], address=address)
        query = {"name": name}
        if len(places) == 1:
            sent = await run_in_threadpool(self._mails.order, places[0][0].name, address, language)
            query["sent"] = "yes" if sent else "no"
        # The page is loaded anew, so that it can be loaded again without another order.
        place = f"/where/mine?{urlencode(query)}"
        return RedirectResponse(place, status_code=303, headers=_HEADERS)

    async def _mail(self, request: Request) -> Response:
        """The page of the link in a mail: it confirms the address, or removes it. It shows only the
        player's name."""
        assert self._mails is not None
        token, language = request.path_params["token"], accepted(request)
        act = value_of(await form_of(request), "act") if request.method == "POST" else ""
        if act == "confirm":
            await run_in_threadpool(self._mails.confirm, token)
        elif act == "remove":
            await run_in_threadpool(self._mails.remove, token)
        one = self._mails.find(token)
        return self._page("mail", language, one=one, gone=act == "remove")

    def _page(self, template: str, language: str, **values: Any) -> Response:
        return HTMLResponse(
            views.render(
                f"hall/{template}.html", language, styles=_STYLES, title=self._title, **values
            ),
            headers=_HEADERS,
        )


def _name(request: Request) -> str:
    return request.query_params.get("name", "").strip()[:_LONGEST_NAME]


def _key(places: _Places) -> str:
    """A text that differs when the places do, in whatever language."""
    parts = [(place, number) for place, number, _sentence in places]
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16] if parts else ""


def _code(link: str) -> str:
    """The link as a QR code in SVG, black on white for cameras."""
    code = io.BytesIO()
    segno.make(link, error="m").save(
        code, kind="svg", xmldecl=False, svgns=True, scale=4, light="white", omitsize=False
    )
    return code.getvalue().decode()
