"""The client survives repeated kills of the gateway: no final state is lost, and every gap gives a Resync."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from typing import Final

import aiohttp

from conftest import visit
from gateway import Gateway
from hm_gateway_client import (
    Client,
    ConnectionChange,
    DimmerState,
    Followed,
    HmConnectionError,
    HmError,
    Home,
    Resync,
    SystemTiming,
    connect_to,
)
from test_home import changed

ROUNDS: Final = 50 if os.environ.get("HM_TEST_LONG") == "1" else 3


class Hasty(SystemTiming):
    """Pauses are a fiftieth of the longest, because the test restarts the gateway sooner than a client would retry."""

    def random(self) -> float:
        return 0.02


async def work(client: Client, lamps: list[str]) -> None:
    """Sets lamps until the gateway stops responding."""
    turn = 0
    while True:
        try:
            await client.dimmer(lamps[turn % len(lamps)]).set_brightness(10 + turn % 80)
        except HmError:
            # The radio may refuse a command; go on.
            await asyncio.sleep(0)
        except HmConnectionError:
            return
        turn += 1


async def listen(client: Client, items: list[Followed], resynced: asyncio.Event) -> None:
    async for item in client.follow():
        items.append(item)
        if isinstance(item, Resync):
            resynced.set()


async def test_no_final_state_is_lost_and_every_gap_gives_a_resync(
    own_gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    visitor = await visit(own_gateway, session)
    ca = visitor.client.ca
    assert ca is not None
    client = await connect_to(session, own_gateway.url, visitor.token, ca=ca.pem, timing=Hasty())
    home = await client.home()
    lamps = [device.id for device in home.devices.values() if device.class_ == "light_dimmer"]
    items: list[Followed] = []
    resynced = asyncio.Event()
    listening = asyncio.ensure_future(listen(client, items, resynced))
    await resynced.wait()
    for round_ in range(ROUNDS):
        working = asyncio.ensure_future(work(client, lamps))
        for _ in range(round_ % 5 + 1):
            await changed(home, lambda change: change.what == "device")
        await own_gateway.kill()
        await working
        read_again = changed(home, lambda change: change.what == "home")
        resynced.clear()
        await own_gateway.start()
        await asyncio.gather(read_again, resynced.wait())

        devices = (await client.state()).devices
        # The home has applied all earlier events once it shows this state.
        marked, bri = lamps[round_ % len(lamps)], 100 - round_ % 2
        await client.dimmer(marked).set_brightness(bri)
        await shows_mark(home, marked, bri)
        for device in devices:
            visible = home.devices[device.id].state
            if (
                isinstance(visible, DimmerState)
                and isinstance(device.state, DimmerState)
                and visible.as_of <= device.state.as_of
            ):
                assert replace(visible, as_of=0) == replace(device.state, as_of=0), device.id
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await home.close()
    expect_all_gaps(items)


async def shows_mark(home: Home, marked: str, bri: int) -> None:
    def is_marked() -> bool:
        state = home.devices[marked].state
        return isinstance(state, DimmerState) and state.bri == bri

    if not is_marked():
        await changed(home, lambda _: is_marked())


def expect_all_gaps(items: list[Followed]) -> None:
    """A killed gateway holds no missed events, so Resync follows each new connection, before any event."""
    after = [items[at + 1] for at, item in enumerate(items[:-1]) if isinstance(item, ConnectionChange)]
    assert sum(isinstance(item, Resync) for item in after) == ROUNDS + 1
    assert all(isinstance(item, Resync | ConnectionChange) for item in after)
