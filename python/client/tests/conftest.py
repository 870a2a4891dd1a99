"""One gateway for tests that do not change it; each test has its own integration and session."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from gateway import Gateway
from hm_gateway_client import Client, connect


@dataclass(frozen=True)
class Visit:
    """A client of a gateway, with its integration and key."""

    gateway: Gateway
    session: aiohttp.ClientSession
    client: Client
    integration: str
    link: str
    token: str
    code: str
    fingerprint: str


async def visit(gateway: Gateway, session: aiohttp.ClientSession, *expose: str, **settings: str) -> Visit:
    integration = await gateway.new_integration(*expose, **settings)
    key = await gateway.new_key(integration)
    return Visit(
        gateway=gateway,
        session=session,
        client=await connect(session, key["connectionCode"]),
        integration=integration,
        link=key["link"],
        token=key["token"],
        code=key["connectionCode"],
        fingerprint=key["fingerprint"],
    )


@pytest.fixture(scope="session")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Gateway]:
    running = await Gateway(tmp_path_factory.mktemp("gateway")).start()
    yield running
    await running.kill()


@pytest.fixture
async def own_gateway(tmp_path: Path) -> AsyncIterator[Gateway]:
    """A gateway that a test may change and kill."""
    running = await Gateway(tmp_path).start()
    yield running
    await running.kill()


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


@pytest.fixture
async def visitor(gateway: Gateway, session: aiohttp.ClientSession) -> Visit:
    return await visit(gateway, session, allow_unlock="on")
