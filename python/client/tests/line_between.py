"""A proxy between client and gateway that passes bytes on, as a relay does, and that a test can cut."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self


class LineBetween:
    """Listens on a free port of the loopback interface."""

    def __init__(self, port: int, tell: Callable[[], None] = lambda: None) -> None:
        """``tell`` is called at each connection."""
        self._to = port
        self._tell = tell
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.cuts_requests = False
        """True: every connection is cut as soon as the client sends data."""
        self.cut_requests = 0
        """Number of connections cut for that reason."""
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tell()
        there, back = await asyncio.open_connection("127.0.0.1", self._to)
        pair = {writer, back}
        self._writers |= pair
        await asyncio.gather(self._pass_on(reader, back, is_client=True), self._pass_on(there, writer))
        self._writers -= pair

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_client: bool = False
    ) -> None:
        try:
            while data := await reader.read(65536):
                if is_client and self.cuts_requests:
                    self.cut_requests += 1
                    self.cut()
                    return
                writer.write(data)
                await writer.drain()
        except OSError:
            # One side has ended, so the other ends too.
            pass
        finally:
            writer.close()
