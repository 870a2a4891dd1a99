"""The client from outside the home: through a real relay, which is linked to the gateway."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from conftest import visit
from gateway import NODE, ROOT, Gateway
from hm_gateway_client import DimmerState, HmError, Home, connect_to
from test_home import changed


@asynccontextmanager
async def relay_for(gateway: Gateway) -> AsyncIterator[tuple[str, str]]:
    """Its address and CA."""
    process = await asyncio.create_subprocess_exec(
        NODE,
        "--disable-warning=ExperimentalWarning",
        str(ROOT / "test/support/relay/relay-for.ts"),
        str(gateway.folder),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        line = await process.stdout.readline()
        assert line, "the relay ended"
        relay = json.loads(line)
        yield relay["url"], relay["ca"]
    finally:
        # The end of its input ends it; up to Python 3.11 that is closed only where something is given.
        await process.communicate(b"")


def brightness_of(home: Home, lamp: str) -> int | None:
    state = home.devices[lamp].state
    return state.bri if isinstance(state, DimmerState) else None


async def test_comes_in_through_a_relay_reads_controls_and_follows(
    own_gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    visitor = await visit(own_gateway, session)
    lamp = (await visitor.client.state(device_class="light_dimmer")).devices[0].id
    async with relay_for(own_gateway) as (url, ca):
        outside = await connect_to(session, url, visitor.token, ca=ca)
        assert (await outside.house()).gateway == (await visitor.client.house()).gateway
        async with await outside.home() as home:
            assert home.connected
            updated = changed(home, lambda change: change.id == lamp and brightness_of(home, lamp) == 43)
            assert (await outside.dimmer(lamp).set_brightness(43)).bri == 43
            await updated
        off = {"settings": {"cloud_access": "off"}}
        await own_gateway.admin("PATCH", f"/integrations/{visitor.integration}", off)
        with pytest.raises(HmError) as refused:
            await outside.house()
        assert refused.value.status == 403
        assert "cloud_access" in str(refused.value)
        assert (await visitor.client.house()).house
