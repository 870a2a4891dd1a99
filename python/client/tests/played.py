"""The other end of a client as the shared cases write it, and time that passes when a case says so."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hm_gateway_client import HmConnectionError, HmError, Home, HomeChange, HttpAnswer, HttpRequest
from hm_gateway_client.caller import Caller
from hm_gateway_client.follow import ConnectionChange, Heard, Resync, follow
from hm_gateway_client.transport import StreamLine, StreamListener

CLIENT: Final = Path(__file__).parents[3] / "client"
Json = Mapping[str, Any]

_TURNS: Final = 30
"""What needs no time has happened after so many turns of the loop."""


class ManualTiming:
    """Time that stands still until it is moved; the random factor is 0.5."""

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
        """Moves time on, and lets happen what is due."""
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
    """Lets waits pass at once, and writes them down in milliseconds."""

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


def expect_asked(request: HttpRequest, asked: Json) -> None:
    assert (request.method, request.path) == (asked["method"], asked["path"])
    for name, value in asked.get("headers", {}).items():
        assert request.headers.get(name) == value, name
    if "body" in asked:
        assert json.loads(request.body or "null") == asked["body"]


def shown(error: BaseException) -> dict[str, Any]:
    """An error as a case writes it."""
    if isinstance(error, HmError):
        fields = {"status": error.status, "code": error.code, "message": error.message}
        return {"kind": "HmError", **fields, "appAction": error.app_action, "retryAfter": error.retry_after}
    assert isinstance(error, HmConnectionError), repr(error)
    return {"kind": "ConnectionError", "message": str(error)}


def expect_within(told: Any, expected: Any) -> None:
    """Everything that is expected is there; objects may have more."""
    if isinstance(expected, Mapping):
        for name, value in expected.items():
            expect_within(told[name], value)
    else:
        assert told == expected


class PlayedExchanges:
    """A transport of requests alone, which are answered as a case says, one after the other."""

    def __init__(self, exchanges: list[Json]) -> None:
        self.left = list(exchanges)

    async def request(self, request: HttpRequest) -> HttpAnswer:
        assert self.left, f"{request.method} {request.path} is one request too many"
        following = self.left.pop(0)
        expect_asked(request, following["asks"])
        if following.get("fails"):
            raise HmConnectionError("It was lost.", is_sent=True)
        return http_answer(following["answer"])

    def stream(self, listener: StreamListener) -> StreamLine:
        raise AssertionError("There is no stream here.")


class PlayedLine:
    """A line of the stream, with what is sent over it."""

    def __init__(self, play: PlayedEnd) -> None:
        self._play = play

    def send(self, text: str) -> None:
        self._play.sent.append(json.loads(text))

    def close(self) -> None:
        self._play.closed += 1


class PlayedEnd(ABC):
    """The other end of a client that follows, step by step as a case has it."""

    def __init__(self) -> None:
        self.timing = ManualTiming()
        self.sent: list[Any] = []
        self.closed = 0
        self._opened: list[StreamListener] = []
        self._asked: list[tuple[HttpRequest, asyncio.Future[HttpAnswer]]] = []
        self._line: StreamListener | None = None

    @abstractmethod
    async def expect_told(self, kind: str, value: Any) -> bool:
        """What a step says of the client itself; False for one that is none."""

    async def play(self, steps: Sequence[Json]) -> None:
        for index, step in enumerate(steps):
            try:
                await self._step(step)
            except Exception as error:
                raise AssertionError(f"Step {index + 1}, {json.dumps(step)}: {error!r}") from error

    async def request(self, request: HttpRequest) -> HttpAnswer:
        answer: asyncio.Future[HttpAnswer] = asyncio.get_running_loop().create_future()
        self._asked.append((request, answer))
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
                request, answer = self._asked.pop(0)
                expect_asked(request, value)
                answer.set_result(http_answer(step["answer"]))
            case "reads":
                await self._reads(value)
            case "passes" | "waits":
                await self._pass_time(kind, value / 1000)
            case _:
                assert await self.expect_told(kind, value), f"There is no step {kind}."

    async def _reads(self, answers: Mapping[str, Json]) -> None:
        """Answers what is read until nothing more is."""
        read = 0
        while self._asked:
            request, answer = self._asked.pop(0)
            answer.set_result(http_answer(answers[request.path]))
            read += 1
            await settled()
        assert read > 0, "nothing was read"

    async def _pass_time(self, kind: str, seconds: float) -> None:
        if kind == "waits":
            await self.timing.advance(seconds - 0.001)
            assert self._opened == [], "a socket was opened too soon"
        await self.timing.advance(seconds if kind == "passes" else 0.001)

    def _happens(self, kind: str, value: Any) -> None:
        """What the other end does."""
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
    """The other end of a follower."""

    def __init__(self, since: int | None) -> None:
        super().__init__()
        self._following: AsyncGenerator[Heard, None] = follow(Caller(self, self.timing), ["*"], since)
        self._next = self._listen()

    async def end(self) -> None:
        """Stops following, as a program does by cancelling."""
        self._next.cancel()
        await asyncio.gather(self._next, return_exceptions=True)
        await self._following.aclose()

    async def expect_told(self, kind: str, value: Any) -> bool:
        match kind:
            case "tells":
                await self._expect_heard(value)
            case "ends":
                [error] = await asyncio.gather(self._next, return_exceptions=True)
                assert isinstance(error, BaseException)
                expect_within(shown(error), value)
            case _:
                return False
        return True

    async def _expect_heard(self, expected: Json) -> None:
        await settled()
        assert self._next.done(), "nothing was told"
        match self._next.result():
            case Resync():
                assert expected == {"event": "resync"}
            case ConnectionChange(connected, error):
                told = {"event": "connection", "connected": connected, "error": None if error is None else shown(error)}
                expect_within(told, expected)
            case event:
                expect_within(event, expected)
        self._next = self._listen()

    def _listen(self) -> asyncio.Task[Heard]:
        async def following() -> Heard:
            return await anext(self._following)

        return asyncio.get_running_loop().create_task(following())


class PlayedHome(PlayedEnd):
    """The other end of a live home."""

    def __init__(self) -> None:
        super().__init__()
        self._changes: list[str] = []
        self._opening: asyncio.Task[Home] = asyncio.get_running_loop().create_task(self._open())

    async def end(self) -> None:
        await (await self._opening).close()

    async def expect_told(self, kind: str, value: Any) -> bool:
        await settled()
        home = self._opening.result()
        match kind:
            case "is":
                told = {"connected": home.connected, "error": None if home.error is None else shown(home.error)}
                expect_within(told, value)
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
