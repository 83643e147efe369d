"""Mails to players about their next game, if the organiser has set up a mail server.

An address is used only after its owner has opened the link in a first mail, so nobody gets mails
that somebody else has ordered. Each mail has a link that removes the address. All addresses are
deleted when the event is over. A mail says no more than the list of pairings.
"""

import contextlib
import json
import logging
import secrets
import smtplib
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.given import HALL
from blindplay.language import load
from blindplay.own_files import read_object
from blindplay.record import files
from blindplay.translation import _

from .event_file import SMTPS_PORT, MailServer
from .pairings.rounds import Round, pairings_file, place_in_words, told_round, where

_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())
_FILE = "mails.json"
_MOST = 2000  # addresses
_MOST_OF_ONE = 4  # players of one address
_ANSWER_S = 86_400.0  # within which the link of the first mail must be opened
_LOST_S = 900.0  # then the first mail may be ordered once more
_KEPT_S = 7 * 86_400.0  # after the last pairing
_KEPT_AFTER_LAST_S = 86_400.0  # after the pairing of the last round
_TIMEOUT_S = 20.0
_LOOK_S = 1.0
_FOR_GOOD = 500  # from this code on, trying again does not help
_FIRST_PAUSE_S = 10.0
_LAST_PAUSE_S = 600.0
_PUT_OFF_S = 60.0  # some servers take the first mail to an address only at a later attempt


@dataclass
class Subscription:
    """One player's address."""

    name: str
    """The player."""
    address: str
    language: str
    ordered: float
    """The time of day at which it was ordered, in seconds since 1970."""
    confirmed: bool = False
    told: str = ""
    """The sentence of the last mail about a game."""
    asked: bool = False
    """The first mail has been sent."""
    again: bool = False
    """It was ordered once more."""


class Mails:
    """Sends the mails of one event until it is closed. Safe to use from several threads.

    ``folder``: that of the hall, with the pairings. ``title``: the event's name for people.
    ``rounds``: their number; 0: unknown. ``url``: where the hall's pages are, unless the server's
    settings say it.
    """

    def __init__(
        self,
        server: MailServer,
        folder: Path,
        title: str,
        url: str,
        rounds: int = 0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._server, self._folder, self._url = server, folder, server.url or url
        self._title = " ".join(title.split())
        self._rounds, self._wall = rounds, wall
        self._file = folder / _FILE
        self._lock = threading.Lock()
        self._known: dict[str, Subscription] = {}
        self.trouble = ""
        """One sentence on why mails cannot be sent now; empty if they can."""
        with contextlib.suppress(TypeError):
            kept = read_object(self._file, HALL)
            self._known = {token: Subscription(**one) for token, one in kept.items()}
        self._outdated = False  # the file; see _keep
        self._put_off: dict[str, float] = {}  # tokens, and when to try again
        self._pause, self._due = 0.0, 0.0
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._work, name="mails", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        self._thread.join(timeout=5)

    # --- addresses -------------------------------------------------------------------------------

    def order(self, name: str, address: str, language: str) -> bool:
        """Send a first mail to ``address``, whose link confirms it; False if the hall keeps no more
        addresses. Nothing shows whether the address was known already. A first mail that may be
        lost is sent once more."""
        with self._lock:
            mine = [one for one in self._known.values() if one.address == address]
            known = next((one for one in mine if one.name == name), None)
            if known is not None:
                late = self._wall() >= known.ordered + _LOST_S
                if known.confirmed or known.again or not late:
                    return True
                known.asked, known.again = False, True
            elif len(mine) >= _MOST_OF_ONE:
                return True
            elif len(self._known) >= _MOST:
                return False
            else:
                token = secrets.token_urlsafe(24)
                self._known[token] = Subscription(name, address, language, self._wall())
            self._keep()
        self._wake.set()
        return True

    def find(self, token: str) -> Subscription | None:
        """The address with this token of its mails."""
        with self._lock:
            return self._known.get(token)

    def confirm(self, token: str) -> bool:
        """Use an address from now on; False if the token is not known."""
        with self._lock:
            if token not in self._known:
                return False
            self._known[token].confirmed = True
            self._keep()
        self._wake.set()
        return True

    def remove(self, token: str) -> None:
        """Delete an address."""
        with self._lock:
            if self._known.pop(token, None) is not None:
                self._keep()

    def _keep(self) -> None:
        """Write the addresses into the file, which only its owner can read. Hold the lock."""
        kept = {token: asdict(one) for token, one in self._known.items()}
        try:
            if kept:
                files.write_new(self._file, json.dumps(kept, ensure_ascii=False).encode())
            else:
                for file in (self._file, self._file.with_name(_FILE + files.PART)):
                    file.unlink(missing_ok=True)
            self._outdated = False
        except OSError:  # a full disk; a deleted address must not stay in the file
            self._outdated = True

    # --- mails -----------------------------------------------------------------------------------

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(_LOOK_S)
            self._wake.clear()
            if self._outdated:
                with self._lock:
                    self._keep()
            if time.monotonic() < self._due:
                continue
            try:
                self._forget()
                due = self._mails_due()
                if due:
                    self._send(due)
            except (OSError, ValueError, smtplib.SMTPException) as error:
                self._pause = min(_LAST_PAUSE_S, self._pause * 2 or _FIRST_PAUSE_S)
                self._due = time.monotonic() + self._pause
                self.trouble = _(
                    "Mails cannot be sent through {host}: {reason}. Check [mail] in the hall's "
                    "file; the hall tries again.",
                    host=self._server.host,
                    reason=_reason(error),
                )
            except Exception:  # the next look tries again
                _LOG.exception("The mails failed.")
                self._due = time.monotonic() + _FIRST_PAUSE_S
                self.trouble = _("The mails have a fault; start the hall again, and report it.")
            else:
                self._pause, self.trouble = 0.0, ""

    def _forget(self) -> None:
        """Delete the addresses that were not confirmed in time and, after the event, all."""
        if not self._known:
            return
        now, paired = self._wall(), 0.0
        with contextlib.suppress(OSError):
            paired = pairings_file(self._folder).stat().st_mtime
        last = self._round()
        over = bool(last and not last.undone and self._rounds and last.round == str(self._rounds))
        until = paired + (_KEPT_AFTER_LAST_S if over else _KEPT_S)
        with self._lock:
            kept = {
                token: one
                for token, one in self._known.items()
                if (one.confirmed or now < one.ordered + _ANSWER_S)
                and now < max(until, one.ordered + _ANSWER_S)
            }
            if len(kept) < len(self._known):
                self._known = kept
                self._keep()

    def _round(self) -> Round | None:
        try:
            return told_round(self._folder)
        except (OSError, ValueError):
            return None

    def _mails_due(self) -> list[tuple[str, str]]:
        """For each mail its token and its sentence about a game, which is empty in the first
        mail."""
        with self._lock:
            known = {token: replace(one) for token, one in self._known.items()}
        now, due = time.monotonic(), list[tuple[str, str]]()
        self._put_off = {token: at for token, at in self._put_off.items() if now < at}
        paired = self._round() if known else None
        for token, one in known.items():
            if token in self._put_off:
                continue
            if not one.asked:
                due.append((token, ""))
            elif one.confirmed and paired is not None:
                told = self._sentence(one, paired)
                if told and told != one.told:
                    due.append((token, told))
        return due

    def _sentence(self, one: Subscription, paired: Round) -> str:
        """Where the player plays, or that this was undone; empty if they are not in the round, or
        were told nothing yet that could be undone."""
        if paired.undone and not one.told:
            return ""
        places = [place for place in where(paired, one.name) if place.name == one.name]
        return place_in_words(places[0], paired, load(one.language))[0] if places else ""

    def _mail(self, one: Subscription, token: str, told: str) -> EmailMessage:
        """:raises ValueError: if a mail cannot have this address or these words."""
        say = catalogue(one.language if one.language in LANGUAGES else "en")
        link = f"{self._url}/where/mail/{token}"
        subject, text = told or say["mail_subject"], told
        if not told:
            text = say["mail_confirm"].format(title=self._title, name=one.name) + f"\n\n{link}"
        end = say["mail_remove" if told else "mail_ignore"].format(link=link)
        mail = EmailMessage()
        mail["From"], mail["To"] = self._server.sender, one.address
        mail["Subject"] = f"{self._title}: {subject}"
        mail["Date"], mail["Message-ID"] = (
            formatdate(localtime=True),
            make_msgid(domain=self._server.sender.rpartition("@")[2]),
        )
        mail["Auto-Submitted"] = "auto-generated"
        if told:
            mail["List-Unsubscribe"] = f"<{link}>"
        mail.set_content(f"{text}\n\n{end}\n")
        return mail

    def _send(self, due: list[tuple[str, str]]) -> None:
        """Send these mails in one connection, and note each that the server has taken, or that it
        will never take. One that it does not take now is put off, so that it holds up no others.

        :raises OSError: if the server cannot be reached, or its certificate is wrong.
        :raises smtplib.SMTPException: if it takes none now.
        """
        with self._connection() as smtp:
            for token, told in due:
                with self._lock:
                    found = self._known.get(token)
                    one = found and replace(found)
                if one is None:
                    continue  # it was removed meanwhile
                try:
                    smtp.send_message(self._mail(one, token, told))
                except smtplib.SMTPRecipientsRefused as error:
                    if any(code < _FOR_GOOD for code, _why in error.recipients.values()):
                        self._put_off[token] = time.monotonic() + _PUT_OFF_S
                        continue
                except smtplib.SMTPDataError as error:
                    if error.smtp_code < _FOR_GOOD:
                        self._put_off[token] = time.monotonic() + _PUT_OFF_S
                        raise
                except ValueError:
                    _LOG.warning("A mail cannot be written.")
                with self._lock:
                    found = self._known.get(token)
                    if found is not None:
                        found.asked, found.told = True, told or found.told
                        self._keep()
                if self._closing.is_set():
                    return

    def _connection(self) -> smtplib.SMTP:
        server = self._server
        context = ssl.create_default_context(cadata=server.certificates or None)
        if server.port == SMTPS_PORT:
            smtp: smtplib.SMTP = smtplib.SMTP_SSL(
                server.host, server.port, timeout=_TIMEOUT_S, context=context
            )
        else:
            smtp = smtplib.SMTP(server.host, server.port, timeout=_TIMEOUT_S)
        try:
            if server.port != SMTPS_PORT:
                smtp.starttls(context=context)
            if server.account:
                smtp.login(server.account, server.password)
        except BaseException:
            smtp.close()
            raise
        return smtp


def _reason(error: Exception) -> str:
    """Why a server takes no mail, without anything that it was sent."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return _("it refuses the account or the password")
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return _("it does not encrypt")
    if isinstance(error, smtplib.SMTPResponseException):
        return _("it answers with the code {code}", code=error.smtp_code)
    if isinstance(error, ssl.SSLError):
        return _("its certificate is not trusted")
    return _("it cannot be reached")
