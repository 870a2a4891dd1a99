"""The live home, and following, over lines that break."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from conftest import visit
from gateway import Gateway
from hm_gateway_client import (
    Client,
    ConnectionChange,
    DimmerState,
    HmConnectionError,
    HmError,
    Home,
    HomeChange,
    Resync,
    StateEvent,
    connect_to,
)
from line_between import LineBetween


class Impatient:
    """Time of the loop; tries again at once."""

    def after(self, seconds: float, run: Callable[[], None]) -> Callable[[], None]:
        return asyncio.get_running_loop().call_later(seconds, run).cancel

    def random(self) -> float:
        return 0


def changed(home: Home, fits: Callable[[HomeChange], bool]) -> asyncio.Future[HomeChange]:
    """The next change that fits."""
    found: asyncio.Future[HomeChange] = asyncio.get_running_loop().create_future()

    def look(change: HomeChange) -> None:
        if fits(change) and not found.done():
            stop()
            found.set_result(change)

    stop = home.on_change(look)
    return found


def of_class(home: Home, device_class: str) -> str:
    return next(item.id for item in home.devices.values() if item.class_ == device_class)


async def test_shows_what_the_service_answers_whatever_happens(
    gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    visitor = await visit(gateway, session)
    client = visitor.client
    async with await client.home() as home:
        lamp = of_class(home, "light_dimmer")
        before = home.devices[lamp]
        lit = changed(home, lambda change: change.id == lamp)
        state = await client.dimmer(lamp).set_brightness(47)
        await lit
        assert home.devices[lamp].state == state
        assert home.devices[lamp] is not before
        assert {item.id for item in (await client.state()).devices} <= set(home.devices)

        scene = next(iter(home.scenes))
        ran = changed(home, lambda change: change.id == scene and home.scenes[scene].running)
        await client.run_scene(scene)
        await ran

        renamed = changed(home, lambda _: home.devices[lamp].name == "Reading light")
        await client.call("patch", "/v1/devices/{id}", parameters={"id": lamp}, body={"name": "Reading light"})
        await renamed

        made = changed(home, lambda _: any(item.name == "Tea" for item in home.scenes.values()))
        await client.call("post", "/v1/scenes", body={"name": "Tea"})
        await made

        listed = changed(home, lambda change: change.what == "schedules")
        then = [{"device": lamp, "op": "set_power", "args": {"on": True}}]
        await client.call("post", "/v1/schedules", body={"name": "Dawn", "at": {"time": "06:00"}, "then": then})
        await listed
        listed = changed(home, lambda change: change.what == "automations")
        when = [{"device": lamp, "state": "on", "is": True}]
        await client.call("post", "/v1/automations", body={"name": "Echo", "when": when, "then": then})
        await listed

        knobs = changed(home, lambda change: change.what == "integration")
        await gateway.admin("PATCH", f"/integrations/{visitor.integration}", {"settings": {"structural": "off"}})
        await knobs

        fewer = changed(home, lambda _: set(home.devices) == {lamp})
        local = f"unit:{lamp.split(':')[-1]}"
        await gateway.admin("PATCH", f"/integrations/{visitor.integration}", {"expose": [local]})
        await fewer
        ended = changed(home, lambda change: change.what == "ended")
    await ended
    assert (home.connected, home.error) == (False, None)


async def test_ends_with_the_credential_and_says_why(gateway: Gateway, session: aiohttp.ClientSession) -> None:
    visitor = await visit(gateway, session)
    home = await visitor.client.home()
    ended = changed(home, lambda change: change.what == "ended")
    await gateway.admin("DELETE", f"/keys/{visitor.link}")
    await ended
    assert isinstance(home.error, HmError)
    assert home.error.status == 401
    await home.close()


async def test_events_over_cut_lines_come_once_in_order_and_none_is_missing(
    gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    visitor = await visit(gateway, session)
    lamp = (await visitor.client.state(device_class="light_dimmer")).devices[0].id
    first, last, cuts = 30, 60, 0
    levels: list[int] = []
    async with LineBetween(gateway.port) as line:
        ca = visitor.client.ca
        assert ca is not None
        client = await connect_to(session, line.url, visitor.token, ca=ca.pem, timing=Impatient())
        following = client.follow([f"device:{lamp}"])
        resyncs = 0
        async for item in following:
            cuts += isinstance(item, ConnectionChange) and not item.connected
            bri = item.state.bri if isinstance(item, StateEvent) and isinstance(item.state, DimmerState) else None
            if isinstance(item, Resync):
                resyncs, bri = resyncs + 1, first
            if bri is None or (levels and bri == levels[-1]):
                continue
            levels.append(bri)
            if bri == last:
                break
            # Some events arrive while the line is connected, some during a cut.
            if bri % 3 == 0:
                line.cut()
            await visitor.client.dimmer(lamp).set_brightness(bri + 1)
        await following.aclose()
    assert levels == list(range(first, last + 1))
    assert (resyncs, cuts > 5) == (1, True)


async def test_a_home_that_is_stopped_while_it_waits_leaves_nothing_behind(session: aiohttp.ClientSession) -> None:
    client = await connect_to(session, "https://127.0.0.1:1", "hm_key_x", timing=Impatient())
    opening = asyncio.ensure_future(client.home())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    following = client.follow()
    first = await anext(following)
    assert isinstance(first, ConnectionChange)
    assert isinstance(first.error, HmConnectionError)
    await following.aclose()
    assert [task for task in asyncio.all_tasks() if "_follow" in repr(task)] == []


async def test_a_listener_that_fails_keeps_no_other_from_hearing(
    gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    visitor = await visit(gateway, session)
    failed: list[Any] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: failed.append(context["exception"]))
    try:
        async with await visitor.client.home() as home:

            def defect(_: HomeChange) -> None:
                raise ZeroDivisionError

            stop = home.on_change(defect)
            seen = changed(home, lambda change: change.what == "device")
            await visitor.client.dimmer(of_class(home, "light_dimmer")).set_brightness(9)
            await seen
            stop()
            stop()
    finally:
        loop.set_exception_handler(None)
    assert isinstance(failed[0], ZeroDivisionError)


async def test_a_session_that_was_closed_ends_the_home(gateway: Gateway) -> None:
    async with aiohttp.ClientSession() as session:
        client: Client = (await visit(gateway, session)).client
        home = await client.home()
        ended = changed(home, lambda change: change.what == "ended")
    await ended
    assert str(home.error) == "The session was closed by the program that it belongs to."
    await home.close()
    assert not home.connected
