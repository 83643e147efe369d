"""Actions that a page may ask about again, and that are never done twice."""

from collections import OrderedDict
from concurrent.futures import Future

from .actions import ActionResult

_MOST = 64


class DoneOnce:
    """The actions of one browser, by the ids that its pages have given.

    A page that gets no answer asks for the result of its action. If the action has not come by
    then, it is void: a request that was on its way so long is refused when it comes. Used in the
    server's event loop only.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Future[ActionResult] | None] = OrderedDict()

    def begin(self, key: str) -> Future[ActionResult] | None:
        """The place of the answer of a new action; None if its id was used or is void. Without an
        id, an action is always new."""
        place = Future[ActionResult]()
        if key:
            if key in self._known:
                return None
            self._keep(key, place)
        return place

    def answer(self, key: str) -> Future[ActionResult] | None:
        """The place of the answer of an action; None if it has not come, or is void."""
        return self._known.get(key)

    def forbid(self, key: str) -> None:
        """Make an action void that has not come."""
        if key not in self._known:
            self._keep(key, None)

    def _keep(self, key: str, place: Future[ActionResult] | None) -> None:
        self._known[key] = place
        if len(self._known) > _MOST:
            self._known.popitem(last=False)
