"""The stream, across reconnects."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .caller import Caller
from .errors import HmConnectionError, HmError, TrustError
from .stream_session import Dropped, Ended, ReceivedEvent, SessionItem, StreamSession, Subscribed
from .transport import pause

FIRST_PAUSE_S: Final = 1
"""Backoff before a retry: doubles from here to the longest, with full jitter."""
PAUSE_MAX_S: Final = 60
RETRY_AFTER_MAX_S: Final = 300
"""Longest awaited ``retryAfter``: a closed record may open days later, or sooner once an administrator extends it."""
STEADY_S: Final = 30
"""A connection this long resets the backoff."""

_CREDENTIAL_ENDED: Final = 4401
_OWN_MISTAKES: Final = (1007, 1009)
"""Close codes for a malformed message: a retry would repeat the mistake."""
_FINAL: Final = (400, 401, 404, 422)
"""Statuses after which a retry cannot help: neither a rate limit nor a failure of the gateway."""


@dataclass(frozen=True, slots=True)
class Resync:
    """Read the home again: events were missed, or this is the beginning."""


@dataclass(frozen=True, slots=True)
class ConnectionChange:
    """The stream connected, or broke with an error and reconnects."""

    connected: bool
    error: HmError | HmConnectionError | None = None


FollowedJson = Mapping[str, Any] | Resync | ConnectionChange
"""JSON of an event, or an item of the client itself."""


async def follow(caller: Caller, topics: Sequence[str], since: int | None = None) -> AsyncGenerator[FollowedJson, None]:
    """Events in their order, as JSON.

    Resync comes first, and after every gap. A reader that reads the home on Resync and applies all later events ends
    with the right state. Raises HmError if the credential has ended or a topic does not exist, TrustError for another
    CA.
    """
    tries = _Tries(caller)
    last = since
    while True:
        session = StreamSession(caller.transport, caller.timing, topics, last)
        try:
            while not isinstance(item := await session.next(), Ended):
                if isinstance(item, Subscribed):
                    tries.succeeded()
                    yield ConnectionChange(connected=True)
                if _is_gap(item):
                    yield Resync()
                last = _seq_of(item, last)
                if isinstance(item, ReceivedEvent):
                    yield item.event
        finally:
            tries.ended()
            session.close()
        error = await tries.reason_of(item)
        yield ConnectionChange(connected=False, error=error)
        await tries.wait(error)


def _is_gap(item: SessionItem) -> bool:
    return isinstance(item, Dropped) or (isinstance(item, Subscribed) and item.is_gap)


def _seq_of(item: SessionItem, last: int | None) -> int | None:
    """``seq`` to continue from after this item; unchanged while replayed events are still to come."""
    if isinstance(item, ReceivedEvent):
        seq = item.event.get("seq")
        return seq if isinstance(seq, int) else last
    return item.seq if isinstance(item, Subscribed) and item.is_gap else last


class _Tries:
    """Counts failed attempts and waits between them."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._count = 0
        self._stop_steady: Callable[[], None] | None = None

    def succeeded(self) -> None:
        self._stop_steady = self._caller.timing.after(STEADY_S, self._forget)

    def ended(self) -> None:
        if self._stop_steady is not None:
            self._stop_steady()
        self._stop_steady = None

    async def reason_of(self, ended: Ended) -> HmError | HmConnectionError:
        """Reason for the end of a session; a request finds it if none opened. Raises if retries are pointless."""
        refusal, code = ended.refusal, ended.code
        if code == _CREDENTIAL_ENDED or (refusal is not None and refusal.status in _FINAL):
            raise refusal or HmConnectionError("The stream was closed: the credential has ended.", is_sent=True)
        if code in _OWN_MISTAKES:
            raise HmConnectionError(f"The stream was closed with {code}: the message was malformed.", is_sent=True)
        if refusal is not None:
            return refusal
        return _broken() if ended.is_opened else await self._reason_by_request()

    async def wait(self, error: HmError | HmConnectionError) -> None:
        bound = min(FIRST_PAUSE_S * 2**self._count, PAUSE_MAX_S)
        # Six doublings reach the longest pause.
        self._count = min(self._count + 1, 6)
        seconds = min((error.retry_after or 0) if isinstance(error, HmError) else 0, RETRY_AFTER_MAX_S)
        # An administrator who switched something off does not switch it on again within seconds.
        is_forbidden = isinstance(error, HmError) and error.status == 403
        drawn = self._caller.timing.random() * (PAUSE_MAX_S if is_forbidden else bound)
        await pause(self._caller.timing, seconds + drawn)

    async def _reason_by_request(self) -> HmError | HmConnectionError:
        try:
            await self._caller.read("/v1/integration")
        except HmConnectionError as error:
            return error
        except TrustError:
            raise
        except HmError as error:
            if error.status == 401:
                raise
            return error
        return _broken()

    def _forget(self) -> None:
        self._count = 0


def _broken() -> HmConnectionError:
    return HmConnectionError("The stream broke.", is_sent=True)
