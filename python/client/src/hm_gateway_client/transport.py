"""Ports of the client: transport, timers and random numbers."""

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
    """JSON, or None."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """One response."""

    status: int
    headers: Mapping[str, str]
    """Keys in lower case."""
    text: str


class StreamListener(Protocol):
    """Listener of a stream socket."""

    def opened(self) -> None:
        """The socket opened."""

    def heard(self, text: str | None) -> None:
        """A message arrived; None for a ping."""

    def closed(self, code: int) -> None:
        """The socket ended with this close code; 1006 if it broke or never opened. Called once."""


class StreamLine(Protocol):
    """A stream socket, possibly not open yet."""

    def send(self, text: str) -> None:
        """Sends a message, or drops it if the socket is not open."""

    def close(self) -> None:
        """Ends the socket at once."""


class Transport(Protocol):
    """Carries requests and the stream: sockets, or a test's recording."""

    async def request(self, request: HttpRequest) -> HttpAnswer:
        """Sends one request and returns its response; raises HmConnectionError or TrustError."""

    def stream(self, listener: StreamListener) -> StreamLine:
        """Opens the stream."""


class Timing(Protocol):
    """Timers and random numbers."""

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        """Runs a function after a delay. Returns a function that cancels it."""

    def random(self) -> float:
        """At least 0, below 1."""


class SystemTiming:
    """Timers of the running loop and random numbers of the machine."""

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        """Runs a function after a delay. Returns a function that cancels it."""
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
