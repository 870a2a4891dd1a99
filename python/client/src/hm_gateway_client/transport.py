"""What calls and the stream need of the world: a way for bytes, time, and chance."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request."""

    method: str
    """In capitals."""
    path: str
    """From ``/v1``, encoded, with its query."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    """JSON; None for none."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came for it."""

    status: int
    headers: Mapping[str, str]
    """By their names in lower case."""
    text: str


class StreamListener(Protocol):
    """Who hears what happens on a line of the stream."""

    def opened(self) -> None:
        """The line is there."""

    def heard(self, text: str | None) -> None:
        """A message came, or with None a sign of life without one."""

    def closed(self, code: int) -> None:
        """The line is gone, by the WebSocket's code; 1006 for one that broke or never opened. Called once."""


class StreamLine(Protocol):
    """A line of the stream, which may not be open yet."""

    def send(self, text: str) -> None:
        """Sends a message; of a line that is not open nothing goes out."""

    def close(self) -> None:
        """Ends the line at once."""


class Transport(Protocol):
    """What carries requests and the stream: sockets, or bytes that a test plays."""

    async def request(self, request: HttpRequest) -> HttpAnswer:
        """Sends one request and waits for its answer; raises HmConnectionError without one, or TrustError."""

    def stream(self, listener: StreamListener) -> StreamLine:
        """Opens the stream."""


class Timing(Protocol):
    """Time and chance."""

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        """Runs something after a while; what it answers calls it off."""

    def random(self) -> float:
        """At least 0, below 1."""


class SystemTiming:
    """The running loop's time, and the machine's chance."""

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        """Runs something after a while; what it answers calls it off."""
        return asyncio.get_running_loop().call_later(seconds, run).cancel

    def random(self) -> float:
        """At least 0, below 1."""
        return random.random()  # noqa: S311 - spreads tries over time and guards nothing


async def pause(timing: Timing, seconds: float) -> None:
    """Waits."""
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    cancel = timing.after(seconds, lambda: None if over.done() else over.set_result(None))
    try:
        await over
    finally:
        cancel()
