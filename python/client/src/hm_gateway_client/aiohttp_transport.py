"""Transport over the aiohttp session of the program."""

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
"""Timeout of a silent connection while a response is due."""
OPEN_WAIT_S: Final = 10
"""Timeout for probing an address and for opening the stream."""
GOOD_FOR_S: Final = 10
"""An address that has responded is used this long before it is probed again beside the others."""
ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024
"""Largest accepted response. A house of thousands of units takes a few MiB."""

_TIMES: Final = aiohttp.ClientTimeout(total=None, sock_connect=OPEN_WAIT_S, sock_read=SILENCE_MAX_S)
_BROKEN: Final = 1006


class AiohttpTransport:
    """Uses the first address that responds, for as long as it responds."""

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
        """``context`` comes from ``tls_context(ca)``; ``through`` is a relay that passes connections on.

        ``found`` is the address that has just presented the CA, if any: it is used without a probe.
        """
        self._session = session
        self._places = [Place(address, through) for address in dict.fromkeys(addresses)]
        self._authorization = {"authorization": f"Bearer {token}"}
        self._ca = ca
        self._context = context
        self._place = self._places[0] if found is None else Place(found, through)
        self._good_until = 0.0
        """End of the time, by the loop's clock, in which the current address needs no probe."""
        if found is not None:
            self._is_good(self._place)

    @property
    def address(self) -> str:
        """The address in use."""
        return self._place.address

    async def request(self, request: HttpRequest) -> HttpAnswer:
        """Sends one request and returns its response; raises HmConnectionError or TrustError."""
        if self._session.closed:
            # Retries are pointless now, so this is not an HmConnectionError, after which ``follow`` retries.
            raise HmClientError("The session was closed by the program that it belongs to.")
        tries = 0
        while True:
            place = await self._reached()
            try:
                answer = await self._send(request, place)
            except HmConnectionError as error:
                self._good_until = 0.0
                tries += 1
                # The gateway may have carried out a request that was sent: no retry.
                if error.is_sent:
                    raise
                if tries == len(self._places):
                    explained = await self._explained(error, place)
                    raise explained from error.__cause__
            else:
                self._is_good(place)
                return answer

    def stream(self, listener: StreamListener) -> StreamLine:
        """Opens the stream."""
        return _Line(self, listener)

    async def open_socket(self) -> aiohttp.ClientWebSocketResponse:
        """Opens the socket of the stream; raises HmConnectionError or TrustError if no address responds."""
        place = await self._reached()
        try:
            async with asyncio.timeout(OPEN_WAIT_S):
                socket = await self._session.ws_connect(
                    place.url("/v1/stream", "wss"),
                    headers={**self._authorization, **place.headers},
                    ssl=self._context,
                    server_hostname=place.server_name,
                    timeout=aiohttp.ClientWSTimeout(ws_close=1),
                    # Pings prove that the gateway is there, so the listener has to see them; ``_hear`` answers them.
                    autoping=False,
                    max_msg_size=ANSWER_BYTES_MAX,
                )
        except BaseException:
            self._good_until = 0.0
            raise
        self._is_good(place)
        return socket

    def lost(self) -> None:
        """The stream has ended: the next request probes all addresses."""
        self._good_until = 0.0

    async def _reached(self) -> Place:
        """The current place if it responded recently; otherwise the first that responds to a probe."""
        if len(self._places) == 1 or asyncio.get_running_loop().time() < self._good_until:
            return self._place
        others = [place for place in self._places if place != self._place]
        self._place = await first_of([self._place, *others], self._probe, SystemTiming())
        self._is_good(self._place)
        return self._place

    def _is_good(self, place: Place) -> None:
        if place == self._place:
            self._good_until = asyncio.get_running_loop().time() + GOOD_FOR_S

    async def _probe(self, place: Place) -> Place:
        """Returns the place once a verified response has come from it.

        The probe changes nothing, so several places can be probed at once. The connection is reused for the next
        request.
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
        """The reason for a failed connection: a TrustError if the gateway has another CA."""
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
    """Stops aiohttp from retrying a change after a reused connection has ended, as it does for PUT.

    Reads keep that retry. They need it, because the gateway closes connections after a refusal.
    """

    def __init__(self) -> None:
        self._is_sent = False

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        if self._is_sent:
            raise aiohttp.ClientConnectionError("The connection ended before the response.")
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
        """Queues a message."""
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
            # aiohttp raises RuntimeError for a closed session; the next request reports it to the caller.
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
            raise aiohttp.ClientPayloadError("The response is too large.")
    return b"".join(chunks).decode("utf-8", "replace")
