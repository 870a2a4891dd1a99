"""The stream followed over any number of sockets."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .caller import Caller
from .errors import HmConnectionError, HmError, TrustError
from .stream_session import Dropped, Ended, SessionItem, StreamSession, Subscribed, Told
from .transport import pause

FIRST_PAUSE_S: Final = 1
"""The pause before the next try grows from this, doubling; each is drawn between nothing and that."""
PAUSE_MAX_S: Final = 60
STEADY_S: Final = 30
"""A line that held for so long was a good one: the next pause is the first again."""

_CREDENTIAL_ENDED: Final = 4401
_OWN_MISTAKES: Final = (1007, 1009)
"""Close codes of a mistake in what was sent: trying again would repeat it."""
_FINAL: Final = (400, 401, 404, 422)
"""Refusals of the subscription that stay: neither a rate nor a trouble of the gateway."""


@dataclass(frozen=True, slots=True)
class Resync:
    """Read anew what you show: events were missed, or none was heard yet."""


@dataclass(frozen=True, slots=True)
class ConnectionChange:
    """The stream is there, or not; then why, and it is tried again."""

    connected: bool
    error: HmError | HmConnectionError | None = None


Heard = Mapping[str, Any] | Resync | ConnectionChange
"""An event as it came, or one of the client's own."""


async def follow(caller: Caller, topics: Sequence[str], since: int | None = None) -> AsyncGenerator[Heard, None]:
    """Events as they come, as JSON.

    The first thing, and the first after a gap, is Resync; what is read on hearing it and changed by the events after it
    is right in the end. Raises HmError where the credential has ended or a topic does not exist, TrustError where
    another CA answers.
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
                if isinstance(item, Told):
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
    """Where the events stand after this; of what is still to follow nothing counts yet."""
    if isinstance(item, Told):
        seq = item.event.get("seq")
        return seq if isinstance(seq, int) else last
    return item.seq if isinstance(item, Subscribed) and item.is_gap else last


class _Tries:
    """How often it was tried in vain, and why."""

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
        """Why a session ended, of one that never opened by a request; raises what makes further tries vain."""
        refusal, code = ended.refusal, ended.code
        if code == _CREDENTIAL_ENDED or (refusal is not None and refusal.status in _FINAL):
            raise refusal or HmConnectionError("The stream was closed: the credential has ended.", is_sent=True)
        if code in _OWN_MISTAKES:
            raise HmConnectionError(f"The stream was closed with {code}: what was sent is no message.", is_sent=True)
        if refusal is not None:
            return refusal
        return _broken() if ended.is_opened else await self._asked()

    async def wait(self, error: HmError | HmConnectionError) -> None:
        bound = min(FIRST_PAUSE_S * 2**self._count, PAUSE_MAX_S)
        # Six doublings reach the longest pause.
        self._count = min(self._count + 1, 6)
        seconds = (error.retry_after or 0) if isinstance(error, HmError) else 0
        # What an administrator has switched off does not come back in a moment.
        is_forbidden = isinstance(error, HmError) and error.status == 403
        drawn = self._caller.timing.random() * (PAUSE_MAX_S if is_forbidden else bound)
        await pause(self._caller.timing, seconds + drawn)

    async def _asked(self) -> HmError | HmConnectionError:
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
