"""A dead address that accepts connections and never responds."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class SilentListener:
    """Listens on a free port of the loopback interface."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.taken = 0
        """Number of accepted connections."""
        self.given_up = 0
        """Number of connections that the client closed."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.taken += 1
        self._writers.add(writer)
        try:
            while await reader.read(65536):
                pass
        except OSError:
            # A reset ends the connection too.
            pass
        finally:
            self.given_up += 1
            self._writers.discard(writer)
            writer.close()
