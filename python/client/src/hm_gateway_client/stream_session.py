"""One socket of the stream from its opening to its end."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .errors import HmError, refusal_in
from .transport import StreamLine, Timing, Transport

QUIET_S: Final = 40
"""Silence, without message or ping, after which the client sends a request to test the connection."""
DEAD_S: Final = 75
"""Silence after which the connection counts as dead (docs/stream.md#heartbeat)."""
WAITING_EVENTS_MAX: Final = 10_000
"""Longest queue for a slow reader. The next event replaces it by Dropped, and the reader reads the home again."""

_SUBSCRIBE: Final = "subscribe"


@dataclass(frozen=True, slots=True)
class Subscribed:
    """Response to the subscription."""

    seq: int
    is_gap: bool
    """True at the beginning, and if the gateway no longer holds the missed events."""


@dataclass(frozen=True, slots=True)
class ReceivedEvent:
    """JSON of an event."""

    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Events were dropped."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The socket ended; no item follows."""

    code: int
    refusal: HmError | None
    is_opened: bool


SessionItem = Subscribed | ReceivedEvent | Dropped | Ended


class StreamSession:
    """Subscribes, and queues events until they are read."""

    def __init__(self, transport: Transport, timing: Timing, topics: Sequence[str], since: int | None) -> None:
        """``since`` is the ``seq`` of the last received event; None to begin with new events."""
        self._timing = timing
        self._subscribe: dict[str, Any] = {"id": _SUBSCRIBE, "subscribe": list(topics)}
        if since is not None:
            self._subscribe["since"] = since
        self._items: deque[SessionItem] = deque()
        self._arrived = asyncio.Event()
        self._refusal: HmError | None = None
        self._last_word: object = None
        self._is_opened = False
        self._is_ended = False
        self._stop_watch: Callable[[], None] | None = None
        self._watch()
        self._line: StreamLine = transport.stream(self)

    async def next(self) -> SessionItem:
        """Waits for the next item. No item follows Ended."""
        while not self._items:
            self._arrived.clear()
            await self._arrived.wait()
        return self._items.popleft()

    def close(self) -> None:
        """Ends the socket."""
        self._line.close()
        self.closed(1006)

    def opened(self) -> None:
        """The socket opened: subscribes."""
        self._is_opened = True
        self._line.send(json.dumps(self._subscribe))

    def heard(self, text: str | None) -> None:
        """A message arrived, or a ping."""
        if self._is_ended:
            return
        self._watch()
        message = None if text is None else _parsed(text)
        if isinstance(message, Mapping):
            self._take(message)

    def closed(self, code: int) -> None:
        """The socket ended."""
        if self._is_ended:
            return
        self._is_ended = True
        if self._stop_watch is not None:
            self._stop_watch()
        # The gateway's own close codes are 4000 plus the HTTP status of the same error.
        refusal = self._refusal if self._last_word is None else refusal_in(code - 4000, self._last_word)
        self._put(Ended(code, refusal, self._is_opened))

    def _take(self, message: Mapping[str, Any]) -> None:
        if "event" in message:
            return self._event(message)
        status, body = message.get("status"), message.get("body")
        if "error" in message:
            # The gateway sends its error before it closes the socket.
            self._last_word = message
        elif message.get("id") == _SUBSCRIBE and isinstance(status, int):
            self._answered(status, body)
        return None

    def _answered(self, status: int, body: object) -> None:
        if status == 200 and isinstance(body, Mapping) and isinstance(body.get("seq"), int):
            self._put(Subscribed(body["seq"], body.get("gap") is not False))
        else:
            self._refusal = refusal_in(status, body)
            self.close()

    def _event(self, event: Mapping[str, Any]) -> None:
        if len(self._items) >= WAITING_EVENTS_MAX:
            self._items = deque(item for item in self._items if isinstance(item, Subscribed))
            self._put(Dropped())
        self._put(ReceivedEvent(event))

    def _put(self, item: SessionItem) -> None:
        self._items.append(item)
        self._arrived.set()

    def _watch(self) -> None:
        """Restarts the silence timer."""
        if self._stop_watch is not None:
            self._stop_watch()
        self._stop_watch = self._timing.after(QUIET_S, self._ask)

    def _ask(self) -> None:
        if self._is_opened:
            self._line.send(json.dumps({"id": "alive", "method": "GET", "path": "/v1/about"}))
        self._stop_watch = self._timing.after(DEAD_S - QUIET_S, self.close)


def _parsed(text: str) -> object:
    try:
        parsed: object = json.loads(text)
    except ValueError:
        return None
    return parsed
