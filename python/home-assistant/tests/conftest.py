"""A real gateway with the simulated house inside, and Home Assistant beside it, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from homeassistant.core import HomeAssistant
from pytest_socket import socket_allow_hosts

import custom_components.hm_gateway  # noqa: F401 - found here before the plug-in looks elsewhere
from gateway import Gateway
from home import SetUpHome


@pytest.fixture(autouse=True)
def real_sockets(socket_enabled: None, enable_custom_integrations: None) -> None:
    """Allows sockets of this machine and enables the integration."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


@pytest.fixture(autouse=True)
def expected_lingering_timers() -> bool:
    """Lets reused connections of the shared session end by themselves."""
    return True


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Gateway]:
    """One gateway for all tests that do not kill it; each test has its own integration."""
    made = await Gateway(tmp_path_factory.mktemp("gateway")).start()
    try:
        yield made
    finally:
        await made.kill()


@pytest_asyncio.fixture
async def own_gateway(tmp_path: Path, real_sockets: None) -> AsyncGenerator[Gateway]:
    """A gateway for a test that kills it or changes its house."""
    made = await Gateway(tmp_path).start()
    try:
        yield made
    finally:
        await made.kill()


@pytest_asyncio.fixture
async def home(hass: HomeAssistant, gateway: Gateway) -> AsyncGenerator[SetUpHome]:
    """A home in Home Assistant that exposes everything, with all knobs on except for locks."""
    made = await SetUpHome.of(hass, gateway)
    yield made
    await made.unload()


@pytest_asyncio.fixture
async def own_home(hass: HomeAssistant, own_gateway: Gateway) -> AsyncGenerator[SetUpHome]:
    """A home in Home Assistant with its own gateway."""
    made = await SetUpHome.of(hass, own_gateway)
    yield made
    await made.unload()
