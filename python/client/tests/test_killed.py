"""The client survives a gateway that is killed again and again: no last word is lost, and every gap is told."""

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
    """Pauses between tries are a fiftieth of the longest: the gateway starts again sooner than a client would look."""

    def random(self) -> float:
        return 0.02


async def work(client: Client, lamps: list[str]) -> None:
    """Sets lamps for as long as the gateway answers."""
    turn = 0
    while True:
        try:
            await client.dimmer(lamps[turn % len(lamps)]).set_brightness(10 + turn % 80)
        except HmError:
            # A refusal of the radio's is no end.
            await asyncio.sleep(0)
        except HmConnectionError:
            return
        turn += 1


async def listen(client: Client, heard: list[Followed], told: asyncio.Event) -> None:
    async for each in client.follow():
        heard.append(each)
        if isinstance(each, Resync):
            told.set()


async def test_no_last_word_is_lost_and_every_gap_is_told(own_gateway: Gateway, session: aiohttp.ClientSession) -> None:
    visitor = await visit(own_gateway, session)
    ca = visitor.client.ca
    assert ca is not None
    client = await connect_to(session, own_gateway.url, visitor.token, ca=ca.pem, timing=Hasty())
    home = await client.home()
    lamps = [each.id for each in home.devices.values() if each.class_ == "light_dimmer"]
    heard: list[Followed] = []
    told = asyncio.Event()
    listening = asyncio.ensure_future(listen(client, heard, told))
    await told.wait()
    for round_ in range(ROUNDS):
        working = asyncio.ensure_future(work(client, lamps))
        for _ in range(round_ % 5 + 1):
            await changed(home, lambda change: change.what == "device")
        await own_gateway.kill()
        await working
        read_again = changed(home, lambda change: change.what == "home")
        told.clear()
        await own_gateway.start()
        await asyncio.gather(read_again, told.wait())

        devices = (await client.state()).devices
        # Whatever was told before this is there once this is.
        marked, bri = lamps[round_ % len(lamps)], 100 - round_ % 2
        await client.dimmer(marked).set_brightness(bri)
        await own_word(home, marked, bri)
        for device in devices:
            kept = home.devices[device.id].state
            if (
                isinstance(kept, DimmerState)
                and isinstance(device.state, DimmerState)
                and kept.as_of <= device.state.as_of
            ):
                assert replace(kept, as_of=0) == replace(device.state, as_of=0), device.id
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await home.close()
    expect_each_gap(heard)


async def own_word(home: Home, marked: str, bri: int) -> None:
    def is_marked() -> bool:
        state = home.devices[marked].state
        return isinstance(state, DimmerState) and state.bri == bri

    if not is_marked():
        await changed(home, lambda _: is_marked())


def expect_each_gap(heard: list[Followed]) -> None:
    """A killed gateway holds nothing of what was missed: each new connection is followed by a gap, before events."""
    after = [heard[at + 1] for at, each in enumerate(heard[:-1]) if isinstance(each, ConnectionChange)]
    assert sum(isinstance(each, Resync) for each in after) == ROUNDS + 1
    assert all(isinstance(each, Resync | ConnectionChange) for each in after)
