"""Plays the gateway of the shared cases, with a clock that the case moves."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hm_gateway_client import HmConnectionError, HmError, Home, HomeChange, HttpAnswer, HttpRequest
from hm_gateway_client.caller import Caller
from hm_gateway_client.follow import ConnectionChange, FollowedJson, Resync, follow
from hm_gateway_client.transport import StreamLine, StreamListener

CLIENT: Final = Path(__file__).parents[3] / "client"
Json = Mapping[str, Any]

_TURNS: Final = 30
"""Turns of the event loop after which all work without timers has finished."""


class ManualTiming:
    """A manual clock; the random factor is 0.5."""

    def __init__(self) -> None:
        self.now = 0.0
        self._waiting: list[tuple[float, Callable[[], None]]] = []

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        entry = (self.now + seconds, run)
        self._waiting.append(entry)

        def cancel() -> None:
            if entry in self._waiting:
                self._waiting.remove(entry)

        return cancel

    def random(self) -> float:
        return 0.5

    async def advance(self, seconds: float) -> None:
        """Moves the clock and runs the due timers."""
        until = self.now + seconds
        await settled()
        while due := [entry for entry in self._waiting if entry[0] <= until + 1e-9]:
            first = min(due, key=lambda entry: entry[0])
            self._waiting.remove(first)
            self.now = max(self.now, first[0])
            first[1]()
            await settled()
        self.now = until


class HastyTiming:
    """Skips all waits and records them in milliseconds."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        self.waited.append(seconds * 1000)
        return asyncio.get_running_loop().call_soon(run).cancel

    def random(self) -> float:
        return 0.5


async def settled() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)


def http_answer(answer: Json) -> HttpAnswer:
    body = answer.get("body")
    text = answer.get("text") or (body if isinstance(body, str) else "" if body is None else json.dumps(body))
    return HttpAnswer(answer["status"], answer["headers"], text)


def expect_request(request: HttpRequest, expected: Json) -> None:
    assert (request.method, request.path) == (expected["method"], expected["path"])
    for name, value in expected.get("headers", {}).items():
        assert request.headers.get(name) == value, name
    if "body" in expected:
        assert json.loads(request.body or "null") == expected["body"]


def error_fields(error: BaseException) -> dict[str, Any]:
    """The fields of an error, as cases write them."""
    if isinstance(error, HmError):
        fields = {"status": error.status, "code": error.code, "message": error.message}
        return {"kind": "HmError", **fields, "appAction": error.app_action, "retryAfter": error.retry_after}
    assert isinstance(error, HmConnectionError), repr(error)
    return {"kind": "ConnectionError", "message": str(error)}


def expect_within(actual: Any, expected: Any) -> None:
    """Asserts all expected values; objects may have further fields."""
    if isinstance(expected, Mapping):
        for name, value in expected.items():
            expect_within(actual[name], value)
    else:
        assert actual == expected


class PlayedExchanges:
    """A transport that plays the responses of a case, in order."""

    def __init__(self, exchanges: list[Json]) -> None:
        self.left = list(exchanges)

    async def request(self, request: HttpRequest) -> HttpAnswer:
        assert self.left, f"{request.method} {request.path} is one request too many"
        following = self.left.pop(0)
        expect_request(request, following["asks"])
        if following.get("fails"):
            raise HmConnectionError("It was lost.", is_sent=True)
        return http_answer(following["answer"])

    def stream(self, listener: StreamListener) -> StreamLine:
        raise AssertionError("There is no stream here.")


class PlayedLine:
    """A stream socket that records sent messages."""

    def __init__(self, play: PlayedEnd) -> None:
        self._play = play

    def send(self, text: str) -> None:
        self._play.sent.append(json.loads(text))

    def close(self) -> None:
        self._play.closed += 1


class PlayedEnd(ABC):
    """Plays the gateway of a follower, step by step."""

    def __init__(self) -> None:
        self.timing = ManualTiming()
        self.sent: list[Any] = []
        self.closed = 0
        self._opened: list[StreamListener] = []
        self._requests: list[tuple[HttpRequest, asyncio.Future[HttpAnswer]]] = []
        self._line: StreamListener | None = None

    @abstractmethod
    async def expect_item(self, kind: str, value: Any) -> bool:
        """Asserts a step about the client itself; False for any other step."""

    async def play(self, steps: Sequence[Json]) -> None:
        for index, step in enumerate(steps):
            try:
                await self._step(step)
            except Exception as error:
                raise AssertionError(f"Step {index + 1}, {json.dumps(step)}: {error!r}") from error

    async def request(self, request: HttpRequest) -> HttpAnswer:
        answer: asyncio.Future[HttpAnswer] = asyncio.get_running_loop().create_future()
        self._requests.append((request, answer))
        return await answer

    def stream(self, listener: StreamListener) -> StreamLine:
        self._opened.append(listener)
        return PlayedLine(self)

    async def _step(self, step: Json) -> None:
        kind, value = next(iter(step.items()))
        await settled()
        match kind:
            case "opens" | "refuses" | "comes" | "says" | "closes":
                self._happens(kind, value)
            case "sent":
                assert self.sent.pop(0) == value
            case "closed":
                assert self.closed > 0
            case "asks":
                request, answer = self._requests.pop(0)
                expect_request(request, value)
                answer.set_result(http_answer(step["answer"]))
            case "reads":
                await self._reads(value)
            case "passes" | "waits":
                await self._pass_time(kind, value / 1000)
            case _:
                assert await self.expect_item(kind, value), f"There is no step {kind}."

    async def _reads(self, answers: Mapping[str, Json]) -> None:
        """Responds to reads until the client sends no more."""
        read = 0
        while self._requests:
            request, answer = self._requests.pop(0)
            answer.set_result(http_answer(answers[request.path]))
            read += 1
            await settled()
        assert read > 0, "the client sent no read"

    async def _pass_time(self, kind: str, seconds: float) -> None:
        if kind == "waits":
            await self.timing.advance(seconds - 0.001)
            assert self._opened == [], "a socket was opened too soon"
        await self.timing.advance(seconds if kind == "passes" else 0.001)

    def _happens(self, kind: str, value: Any) -> None:
        """Plays a step of the gateway."""
        if kind in ("opens", "refuses"):
            self._line = self._opened.pop(0)
            self.closed = 0
        assert self._line is not None
        match kind:
            case "opens":
                self._line.opened()
            case "refuses":
                self._line.closed(1006)
            case "closes":
                self._line.closed(value)
            case _:
                self._line.heard(value if kind == "says" or value is None else json.dumps(value))


class PlayedStream(PlayedEnd):
    """Plays the gateway of a follower."""

    def __init__(self, since: int | None) -> None:
        super().__init__()
        self._following: AsyncGenerator[FollowedJson, None] = follow(Caller(self, self.timing), ["*"], since)
        self._next = self._listen()

    async def end(self) -> None:
        """Stops following, as a program does by cancelling."""
        self._next.cancel()
        await asyncio.gather(self._next, return_exceptions=True)
        await self._following.aclose()

    async def expect_item(self, kind: str, value: Any) -> bool:
        match kind:
            case "tells":
                await self._expect_next(value)
            case "ends":
                [error] = await asyncio.gather(self._next, return_exceptions=True)
                assert isinstance(error, BaseException)
                expect_within(error_fields(error), value)
            case _:
                return False
        return True

    async def _expect_next(self, expected: Json) -> None:
        await settled()
        assert self._next.done(), "no item arrived"
        match self._next.result():
            case Resync():
                assert expected == {"event": "resync"}
            case ConnectionChange(connected, error):
                actual = {
                    "event": "connection",
                    "connected": connected,
                    "error": None if error is None else error_fields(error),
                }
                expect_within(actual, expected)
            case event:
                expect_within(event, expected)
        self._next = self._listen()

    def _listen(self) -> asyncio.Task[FollowedJson]:
        async def following() -> FollowedJson:
            return await anext(self._following)

        return asyncio.get_running_loop().create_task(following())


class PlayedHome(PlayedEnd):
    """Plays the gateway of a live home."""

    def __init__(self) -> None:
        super().__init__()
        self._changes: list[str] = []
        self._opening: asyncio.Task[Home] = asyncio.get_running_loop().create_task(self._open())

    async def end(self) -> None:
        await (await self._opening).close()

    async def expect_item(self, kind: str, value: Any) -> bool:
        await settled()
        home = self._opening.result()
        match kind:
            case "is":
                actual = {
                    "connected": home.connected,
                    "error": None if home.error is None else error_fields(home.error),
                }
                expect_within(actual, value)
            case "changes":
                assert self._changes == value
                self._changes.clear()
            case _:
                return False
        return True

    async def _open(self) -> Home:
        home = await Home(Caller(self, self.timing)).open()

        def note(change: HomeChange) -> None:
            self._changes.append(change.what)

        home.on_change(note)
        return home
