"""One order of facts at two tables, though messages are lost, doubled, late, or out of order, and
though each table may be killed at any moment.

One write token goes to and fro. Only the table that has it adds facts, so the log of one table is
always the beginning of the other's. The token is a number that grows by one when it is given: the
table that waited has an even token, the one that called an odd one. Both believe the larger number.

A table that was started again does not know who has the token, and adds nothing until it has
learned that from the other. Where neither knows, the table that waited has it.

Each table makes a session nonce for each connection (``me``). A message counts only if it repeats
the receiver's present nonce (``you``), so that nothing sent before a break counts after it.

Nothing here does input or output, waits, or knows the time.
"""

import hashlib
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

MOST_FACTS = 200
"""Limit of the facts in one message."""


_PAST = 100  # session nonces


class OtherGameError(ValueError):
    """The other table has another game than this one."""


class SharedLog:
    """The log of one table. ``facts`` are those of its journal, each as one line."""

    def __init__(self, *, waited: bool, facts: Iterable[str] = ()) -> None:
        self.facts: list[str] = []
        self._digests = [""]  # of so many facts
        self.token: int | None = None
        self.wants = False
        """True if this table asks for the write token."""
        self.other_wants = False
        self._parity = 0 if waited else 1
        self._nonce = ""  # this table's session nonce, new after each break
        self._their_nonce = ""  # the other's, of its last message
        self._confirmed = ""  # the other's, once it has repeated ours
        self._past: deque[str] = deque(
            maxlen=_PAST
        )  # the other's of before: it has begun anew since
        self._other_has = self._sent = 0
        self._number = self._newest = 0
        self.is_newest = False
        """True if no later message had come when the last one did."""
        for fact in facts:
            self._append(fact)
        self.begin()

    def begin(self) -> None:
        """There was a break: a new connection, or the other table was started again."""
        self._nonce, self._confirmed = secrets.token_hex(8), ""
        self._other_has = self._sent = self._newest = 0

    @property
    def holds(self) -> bool:
        """Return whether this table has the write token."""
        return self.token is not None and self.token % 2 == self._parity

    @property
    def session(self) -> str:
        """Return the other table's session nonce; empty until it has answered."""
        return self._confirmed

    @property
    def met(self) -> bool:
        """Return whether the other table has answered since the last break."""
        return bool(self._confirmed)

    @property
    def settled(self) -> bool:
        """Return whether the other table has everything that this one has."""
        return self.met and self._other_has == len(self.facts)

    def add(self, fact: str) -> None:
        """Add a fact of this table, which has the write token. The journal has it already."""
        assert self.holds
        self._append(fact)

    def _append(self, fact: str) -> None:
        self.facts.append(fact)
        covered = f"{self._digests[-1]}\n{fact}".encode()
        self._digests.append(hashlib.sha256(covered).hexdigest()[:32])

    def give(self) -> None:
        """Give the write token to the other table."""
        assert self.token is not None and self.holds
        self.token += 1

    def message(self, *, again: bool = False) -> dict[str, Any]:
        """Return the message to send now. ``again``: with everything that the other has not
        confirmed."""
        start = self._other_has if again else max(self._sent, self._other_has)
        facts = self.facts[start : start + MOST_FACTS] if self.met else []
        self._sent = start + len(facts)
        self._number += 1
        return {
            "me": self._nonce,
            "you": self._their_nonce,
            "number": self._number,
            "have": len(self.facts),
            "digest": self._digests[-1],
            "pen": self.token,
            "wants": self.wants,
            "start": start,
            "facts": facts,
        }

    @property
    def lags(self) -> bool:
        """Return whether there are facts that were not sent yet."""
        return self.met and self._sent < len(self.facts)

    def receive(self, message: Mapping[str, Any], take: Callable[[str], object]) -> bool:
        """Take a message; return whether it is of now. ``take`` writes the new facts to the journal
        in their order. Only then does this table acknowledge them to the other one.

        :raises OtherGameError: if the logs contradict each other, or the other table has taken the
            write token.
        """
        if not self._is_of_now(message):
            return False
        self._take_facts(int(message["start"]), message["facts"], take)
        theirs = int(message["have"])
        self._other_has = max(self._other_has, min(theirs, len(self.facts)))
        if theirs <= len(self.facts):
            if message["digest"] != self._digests[theirs]:
                raise OtherGameError(theirs)
            # The table that gives the write token adds no more facts: its log is complete.
            self._take_token(message["pen"])
        self.is_newest = int(message["number"]) > self._newest
        if self.is_newest:
            self._newest = int(message["number"])
            self.other_wants = bool(message["wants"])
        return True

    def _is_of_now(self, message: Mapping[str, Any]) -> bool:
        knows_us, theirs = message["you"] == self._nonce, str(message["me"])
        if theirs == self._confirmed:
            return bool(knows_us)
        if theirs in self._past:
            return False
        if self._confirmed:  # the other has begun anew: its earlier messages count no more
            self._past.append(self._confirmed)
            self.begin()
            knows_us = False
        self._their_nonce = theirs
        if knows_us:
            self._confirmed = theirs
        return bool(knows_us)

    def _take_facts(self, start: int, facts: list[str], take: Callable[[str], object]) -> None:
        for number, fact in enumerate(facts, start):
            if number < len(self.facts):
                if self.facts[number] != fact:
                    raise OtherGameError(number)
            elif number == len(self.facts):
                if self.holds:
                    raise OtherGameError(number)
                take(fact)
                self._append(fact)

    def _take_token(self, theirs: int | None) -> None:
        if theirs is None:
            self.token = 0 if self.token is None else self.token
        elif self.token is None or theirs > self.token:
            if type(theirs) is not int or self.holds:  # nobody has given it
                raise OtherGameError(theirs)
            self.token, self.wants = theirs, False
