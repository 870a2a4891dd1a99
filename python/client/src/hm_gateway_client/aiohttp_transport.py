"""Requests and the stream by the aiohttp session of the program."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from typing import Final

import aiohttp

from .errors import HmClientError, HmConnectionError, TrustError
from .first_of import first_of
from .transport import HttpAnswer, HttpRequest, StreamLine, StreamListener, SystemTiming
from .trust import Ca, Place, served_ca

SILENCE_MAX_S: Final = 60
"""A connection on which nothing moves for so long while an answer is due is given up."""
OPEN_WAIT_S: Final = 10
"""An address is reached within this, or it is given up."""
GOOD_FOR_S: Final = 10
"""An address that has answered is used for so long before it is asked again beside the others."""
ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
"""The largest answer that is taken: a house of thousands of units is a few MiB."""

_TIMES: Final = aiohttp.ClientTimeout(total=None, sock_connect=OPEN_WAIT_S, sock_read=SILENCE_MAX_S)
_BROKEN: Final = 1006


class AiohttpTransport:
    """Goes to the address that answers first, and keeps to it for as long as it does."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        addresses: Sequence[str],
        token: str,
        *,
        ca: Ca | None,
        context: ssl.SSLContext,
        through: str | None = None,
        found: str | None = None,
    ) -> None:
        """``context`` is what ``tls_context(ca)`` makes; ``through`` the relay that passes connections on.

        ``found`` is the address that has just shown the CA, where one has: it is gone to without asking.
        """
        self._session = session
        self._places = [Place(each, through) for each in dict.fromkeys(addresses)]
        self._authorization = {"authorization": f"Bearer {token}"}
        self._ca = ca
        self._context = context
        self._place = self._places[0] if found is None else Place(found, through)
        self._good_until = 0.0
        """Until then, in the loop's time, the address is taken for good without asking."""
        if found is not None:
            self._is_good(self._place)

    @property
    def address(self) -> str:
        """The address that is in use."""
        return self._place.address

    async def request(self, request: HttpRequest) -> HttpAnswer:
        """Sends one request and waits for its answer; raises HmConnectionError without one, or TrustError."""
        if self._session.closed:
            # No try can succeed any more, so this is none of the errors after which whoever follows tries again.
            raise HmClientError("The session was closed by the program that it belongs to.")
        tries = 0
        while True:
            place = await self._reached()
            try:
                answer = await self._send(request, place)
            except HmConnectionError as error:
                self._good_until = 0.0
                tries += 1
                # What was sent may have been done: it is not sent again.
                if error.is_sent:
                    raise
                if tries == len(self._places):
                    told = await self._explained(error, place)
                    raise told from error.__cause__
            else:
                self._is_good(place)
                return answer

    def stream(self, listener: StreamListener) -> StreamLine:
        """Opens the stream."""
        return _Line(self, listener)

    async def open_socket(self) -> aiohttp.ClientWebSocketResponse:
        """The socket of the stream; raises HmConnectionError or TrustError where no address answers."""
        place = await self._reached()
        try:
            async with asyncio.timeout(OPEN_WAIT_S):
                socket = await self._session.ws_connect(
                    place.url("/v1/stream", "wss"),
                    headers={**self._authorization, **place.headers},
                    ssl=self._context,
                    server_hostname=place.server_name,
                    timeout=aiohttp.ClientWSTimeout(ws_close=1),
                    # Pings are signs of life, so they are answered by whoever listens for them.
                    autoping=False,
                    max_msg_size=ANSWER_BYTES_MAX,
                )
        except BaseException:
            self._good_until = 0.0
            raise
        self._is_good(place)
        return socket

    def lost(self) -> None:
        """The stream has ended: its address is asked again beside the others."""
        self._good_until = 0.0

    async def _reached(self) -> Place:
        """Where to go: to the address that answered just now, or the first that answers, that one before the others."""
        if len(self._places) == 1 or asyncio.get_running_loop().time() < self._good_until:
            return self._place
        others = [each for each in self._places if each != self._place]
        self._place = await first_of([self._place, *others], self._asked, SystemTiming())
        self._is_good(self._place)
        return self._place

    def _is_good(self, place: Place) -> None:
        if place == self._place:
            self._good_until = asyncio.get_running_loop().time() + GOOD_FOR_S

    async def _asked(self, place: Place) -> Place:
        """The place, once something has come from there that was verified.

        Nothing is changed by what is asked, so it may be asked of several at once; the connection is kept for what
        comes next.
        """
        try:
            async with (
                asyncio.timeout(OPEN_WAIT_S),
                self._session.get(
                    place.url("/ca.pem"),
                    headers=place.headers,
                    ssl=self._context,
                    server_hostname=place.server_name,
                    allow_redirects=False,
                ) as answer,
            ):
                await _text_of(answer)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            unanswered = _unanswered(place, error, is_sent=False)
            raise await self._explained(unanswered, place) from error
        return place

    async def _explained(self, error: HmConnectionError, place: Place) -> HmConnectionError | TrustError:
        """Why there was no connection: another CA is told, where one was the reason."""
        if self._ca is None or not isinstance(error.__cause__, aiohttp.ClientSSLError):
            return error
        try:
            served = await served_ca(self._session, place)
        except (aiohttp.ClientError, OSError, ValueError, TimeoutError):
            return error
        return (
            error
            if served.fingerprint == self._ca.fingerprint
            else TrustError(self._ca.fingerprint, served.fingerprint)
        )

    async def _send(self, request: HttpRequest, place: Place) -> HttpAnswer:
        try:
            async with self._session.request(
                request.method,
                place.url(request.path),
                headers={**self._authorization, **place.headers, **request.headers},
                data=None if request.body is None else request.body.encode(),
                ssl=self._context,
                server_hostname=place.server_name,
                timeout=_TIMES,
                allow_redirects=False,
                middlewares=() if request.method == "GET" else (_Once(),),
            ) as answer:
                text = await _text_of(answer)
                headers = {name.lower(): value for name, value in answer.headers.items()}
                return HttpAnswer(answer.status, headers, text)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            is_sent = not isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError)
            is_sent = is_sent and not isinstance(error, aiohttp.ClientSSLError)
            raise _unanswered(place, error, is_sent=is_sent) from error


class _Once:
    """Keeps aiohttp from sending a change again where a kept connection has ended, as it does with PUT by itself.

    Of a read that does no harm, and is needed: a connection that the gateway closes after a refusal is kept till then.
    """

    def __init__(self) -> None:
        self._is_sent = False

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        if self._is_sent:
            raise aiohttp.ClientConnectionError("The connection ended before the answer came.")
        self._is_sent = True
        return await handler(request)


class _Line:
    """One socket of the stream, from its opening to its end."""

    def __init__(self, transport: AiohttpTransport, listener: StreamListener) -> None:
        self._transport = transport
        self._listener = listener
        self._sending: asyncio.Queue[str] = asyncio.Queue()
        self._running = asyncio.get_running_loop().create_task(self._run())

    def send(self, text: str) -> None:
        """Sends a message, after those before it."""
        self._sending.put_nowait(text)

    def close(self) -> None:
        """Ends the line at once."""
        self._running.cancel()

    async def _run(self) -> None:
        code = _BROKEN
        try:
            socket = await self._transport.open_socket()
            try:
                self._listener.opened()
                sender = asyncio.get_running_loop().create_task(self._send(socket))
                try:
                    code = await self._hear(socket)
                finally:
                    sender.cancel()
                    await asyncio.gather(sender, return_exceptions=True)
            finally:
                await socket.close()
        except (aiohttp.ClientError, HmConnectionError, TrustError, OSError, TimeoutError, RuntimeError):
            # A session that was closed says so with a RuntimeError; the next request tells whoever follows.
            code = _BROKEN
        finally:
            self._transport.lost()
            self._listener.closed(code)

    async def _send(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while True:
            await socket.send_str(await self._sending.get())

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse) -> int:
        async for message in socket:
            if message.type is aiohttp.WSMsgType.PING:
                await socket.pong(message.data)
            self._listener.heard(message.data if message.type is aiohttp.WSMsgType.TEXT else None)
        return socket.close_code or _BROKEN


def _unanswered(place: Place, error: Exception, *, is_sent: bool) -> HmConnectionError:
    reason = str(error) or type(error).__name__
    unanswered = HmConnectionError(f"The gateway at {place.address} did not answer: {reason}", is_sent=is_sent)
    unanswered.__cause__ = error
    return unanswered


async def _text_of(answer: aiohttp.ClientResponse) -> str:
    chunks: list[bytes] = []
    size = 0
    async for chunk in answer.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > ANSWER_BYTES_MAX:
            raise aiohttp.ClientPayloadError("The answer is too large.")
    return b"".join(chunks).decode("utf-8", "replace")
