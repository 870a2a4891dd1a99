"""The client at a running gateway, over real sockets."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from conftest import Visit, visit
from gateway import Gateway
from hm_gateway_client import (
    ConnectionCodeError,
    HmConnectionError,
    HmError,
    Home,
    TrustError,
    ca_of,
    connect,
    connect_to,
    console_link,
    trusted_ca,
)
from line_between import LineBetween

OTHER = ":".join(["AB"] * 32)


async def device_of(visitor: Visit, device_class: str) -> str:
    """The id of the first device of a class, or gang."""
    devices = (await visitor.client.state(device_class=device_class)).devices
    return devices[0].id


async def test_comes_in_by_the_code_that_stands_beside_a_new_key(visitor: Visit) -> None:
    answer = await visitor.client.integration()
    assert (answer.integration.id, answer.integration.credential.kind) == (visitor.integration, "key")
    assert answer.integration.settings["allow_unlock"] == "on"
    assert visitor.client.ca is not None
    assert visitor.client.ca.fingerprint == visitor.fingerprint


async def test_what_is_no_code_is_said_to_be_none(session: aiohttp.ClientSession) -> None:
    with pytest.raises(ConnectionCodeError, match="begins with hmc1_"):
        await connect(session, "hmc2_eyJ9")
    with pytest.raises(ConnectionCodeError, match="no address"):
        await connect_to(session, [], "hm_key_x")


async def test_controls_a_lamp_reads_it_and_asks_why_it_is_as_it_is(visitor: Visit) -> None:
    client, lamp = visitor.client, await device_of(visitor, "light_dimmer")
    state = await client.dimmer(lamp).set_brightness(40)
    assert (state.on, state.bri) == (True, 40)
    [read] = [one for one in (await client.state()).devices if one.id == lamp]
    assert read.state == state
    items = (await client.explain(lamp)).items
    assert items[0].cause is not None
    assert items[0].cause.name == "API: Python"
    [entry] = (await client.activity(device=lamp, limit=1)).entries
    assert entry.cause.link == visitor.link


async def test_each_class_has_its_operations(visitor: Visit) -> None:
    client = visitor.client
    switch = client.switch(await device_of(visitor, "light_switch"))
    assert (await switch.set_power(True)).on
    assert (await switch.set_mode("manual")).mode == "manual"
    dimmer = client.dimmer(await device_of(visitor, "light_dimmer"))
    assert not (await dimmer.set_power(False)).on
    gang = client.switch(await device_of(visitor, "switch_gang"))
    assert (await gang.set_power(True)).on
    cover = client.cover(await device_of(visitor, "shutter"))
    # A shutter that changes its direction stands still for a moment.
    assert (await cover.open()).move != "closing"
    assert (await cover.close()).move != "opening"
    assert (await cover.stop()).move == "stopped"
    assert (await cover.set_position(100)).move != "closing"
    socket = client.power_switch(await device_of(visitor, "power_switch"))
    assert (await socket.set_power(True)).on
    ac = client.ac(await device_of(visitor, "ac"))
    assert (await ac.set_temp(22.5)).temp == 22.5
    assert (await ac.set_ac_mode("cool")).mode == "cool"
    assert (await ac.set_fan("high")).fan == "high"
    assert (await client.remote(await device_of(visitor, "ir_remote")).key("mute")).key == "mute"
    lock = client.lock(await device_of(visitor, "lock"))
    assert not (await lock.open()).locked
    assert (await lock.close()).locked
    gate = client.gate(await device_of(visitor, "gate"))
    assert (await gate.open()).move == "opening"
    assert (await gate.stop()).move == "stopped"


async def test_an_operation_that_a_class_does_not_have_is_refused(visitor: Visit) -> None:
    units = (await visitor.client.house(device_class="power_switch")).every_unit()
    socket = next(one for one in units if "set_temp" not in one.operations)
    with pytest.raises(HmError) as refused:
        await visitor.client.power_switch(socket.id).set_temp(20)
    assert (refused.value.status, refused.value.code) == (422, "validation")


async def test_a_wrong_class_is_refused(visitor: Visit) -> None:
    lock = await device_of(visitor, "lock")
    with pytest.raises(HmError, match="not from the service"):
        await visitor.client.cover(lock).close()


async def test_everything_that_is_read_has_a_shape(visitor: Visit) -> None:
    client = visitor.client
    house = await client.house()
    assert house.gateway == (await client.integration()).gateway
    module = next(one for one in house.every_unit() if one.kind == "module")
    assert (module.state, len(module.gangs) > 1) == (None, True)
    assert {room.floor for floor in house.floors for room in floor.rooms} == {floor.id for floor in house.floors}
    dimmer = await device_of(visitor, "light_dimmer")
    assert any(one.intent == "led_mode" for one in (await client.intents(dimmer)).intents)
    written = await client.set_intent(dimmer, "led_mode", "while_on")
    assert written.intent.value == "while_on"
    assert len((await client.intent_definitions()).intents) == 28
    assert (await client.energy(period="day")).scope == "house"
    assert any(one.readings.temperature for one in (await client.sensors()).sensors)
    [room, *_] = house.every_room()
    assert all(one.room == room.id for one in (await client.sensors(room=room.id)).sensors)


async def test_scenes_run_and_many_controls_have_a_result_each(visitor: Visit) -> None:
    client = visitor.client
    scene = (await client.scenes()).scenes[0]
    assert (await client.run_scene(scene.id)).run.run_id
    lamp = await device_of(visitor, "light_dimmer")
    lit = {"device": lamp, "op": "set_brightness", "args": {"bri": 12}}
    done, missing = (await client.control({"controls": [lit, {**lit, "device": "none"}]})).results
    assert done.state is not None
    assert done.state["bri"] == 12
    assert missing.error is not None
    assert missing.error.code == "not_found"


async def test_messages_are_followed(visitor: Visit, gateway: Gateway) -> None:
    async with await visitor.client.home(with_messages=True) as home:
        arrival = asyncio.Event()
        home.on_change(lambda change: arrival.set() if change.what == "message" else None)
        await gateway.admin("POST", "/messages/test")
        await asyncio.wait_for(arrival.wait(), 10)
        assert home.message is not None
        assert (home.message.state.kind, home.message.state.change) == ("test", "new")


async def test_the_mode_of_the_home_is_set_and_followed(visitor: Visit) -> None:
    client = visitor.client
    async with await client.home(with_mode=True) as home:
        assert home.mode is not None
        assert {"home", "guest"} <= {mode.id for mode in home.mode.modes}
        guest = asyncio.Event()
        home.on_change(lambda change: guest.set() if change.what == "mode" else None)
        assert (await client.set_mode("guest")).name == "Guest"
        await asyncio.wait_for(guest.wait(), 30)
        assert home.mode.mode == "guest"
    assert (await client.set_mode("home")).mode == (await client.mode()).mode == "home"


async def test_presence_is_reported_and_followed(visitor: Visit) -> None:
    client, admin = visitor.client, visitor.gateway.admin
    anna = (await admin("POST", "/persons", {"name": "Anna"}))["person"]["id"]
    await admin("PATCH", f"/integrations/{visitor.integration}", {"people": "each", "reports": [anna]})
    assert (await client.integration()).integration.reports == (anna,)
    async with await client.home(with_people=True) as home:
        assert home.people is not None
        came = asyncio.Event()
        home.on_change(lambda change: came.set() if change.what == "people" else None)
        assert (await client.report_presence(anna, "home")).is_ == "home"
        await asyncio.wait_for(came.wait(), 30)
        assert [(one.name, one.is_) for one in home.people.persons] == [("Anna", "home")]
    assert (await client.people()).anyone.is_ == "home"


async def test_automations_and_schedules_are_stored_read_and_edited(visitor: Visit) -> None:
    client = visitor.client
    lamp = await device_of(visitor, "light_dimmer")
    light = {"device": lamp, "op": "set_brightness", "args": {"bri": 30}}
    evening = {"after": "17:00", "before": "sunset"}
    made = await client.create_automation(
        {
            "name": "Evening light",
            "when": [{"device": lamp, "state": "on", "is": True, "for": 60}, {"sun": "sunset", "offset": -10}],
            "if": [{"device": lamp, "state": "bri", "above": 10}, evening],
            "then": [light, {"delay": 5}],
        }
    )
    automation = made.automation
    held, sunset = automation.when
    assert (held.device, held.state, held.is_, held.for_) == (lamp, "on", True, 60)
    assert (sunset.sun, sunset.offset) == ("sunset", -10)
    assert (automation.if_[0].above, automation.if_[1].after) == (10, "17:00")
    assert (automation.then[0].args, automation.then[1].delay) == ({"bri": 30}, 5)
    edited = await client.edit_automation(automation.id, {"enabled": False, "ifRevision": automation.revision})
    assert not edited.automation.enabled
    assert (await client.automation(automation.id)).automation == edited.automation
    assert edited.automation in (await client.automations()).automations

    first = await client.create_schedule({"name": "Wake up", "at": {"time": "06:30"}, "days": [1, 2], "then": [light]})
    schedule = first.schedule
    assert (schedule.at.time, schedule.days, schedule.next is None) == ("06:30", (1, 2), False)
    later = {"at": {"sun": "sunrise", "offset": 15}, "ifRevision": schedule.revision}
    moved = (await client.edit_schedule(schedule.id, later)).schedule
    assert (moved.at.sun, moved.at.offset, moved.revision > schedule.revision) == ("sunrise", 15, True)
    assert (await client.schedule(schedule.id)).schedule == moved
    assert moved in (await client.schedules()).schedules
    with pytest.raises(HmError) as refused:
        await client.edit_schedule(schedule.id, later)
    assert refused.value.code == "revision_mismatch"


async def test_the_ca_is_fetched_and_compared_for_programs_that_connect_by_themselves(visitor: Visit) -> None:
    address = visitor.gateway.url
    ca, found = await trusted_ca(visitor.session, [address], visitor.fingerprint)
    assert (ca.fingerprint, found) == (visitor.fingerprint, address)
    with pytest.raises(TrustError):
        await trusted_ca(visitor.session, [address], OTHER)


async def test_tells_a_refusal_with_its_code_its_sentence_and_where_it_is_mended(
    gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    locked = await visit(gateway, session)
    with pytest.raises(HmError) as refused:
        await locked.client.lock(await device_of(locked, "lock")).open()
    error = refused.value
    assert (error.status, error.code, error.app_action) == (403, "unlock_not_allowed", "integrations.record")
    assert str(error) == error.message
    link = console_link(error, gateway.url, integration=locked.integration)
    assert link == f"{gateway.url}/console/go/integrations.record?integration={locked.integration}"
    with pytest.raises(HmError) as unknown:
        await locked.client.call("get", "/v1/devices/{id}", parameters={"id": "../about"})
    assert (unknown.value.code, console_link(unknown.value, gateway.url)) == ("not_found", None)


async def test_keeps_what_has_a_tag_and_gives_it_again_until_it_changes(visitor: Visit) -> None:
    lamp = await device_of(visitor, "light_dimmer")
    client = visitor.client
    await client.dimmer(lamp).set_brightness(30)
    # Other units of the house may report in between; between two reads at once they seldom do.
    assert any([await client.house() is await client.house() for _ in range(5)])
    before = await client.house()
    await client.dimmer(lamp).set_brightness(31)
    assert await client.house() is not before


async def test_makes_a_change_once_that_is_sent_twice_under_one_name(visitor: Visit) -> None:
    lamp = visitor.client.dimmer(await device_of(visitor, "light_dimmer"))
    first = await lamp.set_brightness(40, idempotency_key="once")
    await lamp.set_brightness(60)
    assert await lamp.set_brightness(40, idempotency_key="once") == first
    [state] = [one.state for one in (await visitor.client.state()).devices if one.id == lamp.id]
    assert getattr(state, "bri", None) == 60


async def test_goes_on_at_the_next_address_where_one_cannot_be_reached(visitor: Visit) -> None:
    addresses = ["https://127.0.0.1:1", visitor.gateway.url]
    client = await connect_to(visitor.session, addresses, visitor.token, fingerprint=visitor.fingerprint)
    assert (await client.house()).house
    with pytest.raises(HmConnectionError) as nowhere:
        await connect_to(visitor.session, addresses[0], visitor.token, fingerprint=visitor.fingerprint)
    assert not nowhere.value.is_sent
    ca = (visitor.gateway.folder / "tls/ca.pem").read_text()
    lost = await connect_to(visitor.session, addresses[0], visitor.token, ca=ca)
    with pytest.raises(HmConnectionError) as unreachable:
        await lost.dimmer("d").set_brightness(1)
    assert not unreachable.value.is_sent


async def test_tells_of_another_ca_with_both_fingerprints_and_does_not_come_in(visitor: Visit) -> None:
    addresses = ["https://127.0.0.1:1", visitor.gateway.url]
    with pytest.raises(TrustError) as refused:
        await connect_to(visitor.session, addresses, visitor.token, fingerprint=OTHER)
    assert (refused.value.expected, refused.value.found) == (OTHER, visitor.fingerprint)
    # The machine's own list of CAs has none of a gateway.
    client = await connect_to(visitor.session, visitor.gateway.url, visitor.token)
    with pytest.raises(HmConnectionError):
        await client.house()


async def test_is_told_when_the_ca_has_changed_and_never_takes_it(
    own_gateway: Gateway, session: aiohttp.ClientSession
) -> None:
    before = await visit(own_gateway, session)
    await own_gateway.admin("POST", "/tls/regenerate-ca", {})
    found = await own_gateway.fingerprint()
    # Connections that were verified before stay as they are; new ones are not made.
    async with aiohttp.ClientSession() as fresh:
        ca = before.client.ca
        assert ca is not None
        client = await connect_to(fresh, own_gateway.url, before.token, ca=ca.pem)
        for ask in (client.house, client.follow().__anext__, client.home):
            with pytest.raises(TrustError) as raised:
                await ask()
            assert (raised.value.expected, raised.value.found) == (before.fingerprint, found)
        again = await connect_to(fresh, own_gateway.url, before.token, fingerprint=found)
        assert (await again.house()).house


async def test_says_the_same_when_the_credential_has_ended(visitor: Visit) -> None:
    await visitor.gateway.admin("DELETE", f"/keys/{visitor.link}")
    for ask in (visitor.client.house, visitor.client.follow().__anext__, visitor.client.home):
        with pytest.raises(HmError) as ended:
            await ask()
        assert (ended.value.status, ended.value.code) == (401, "unauthorized")


@pytest.mark.parametrize("method", ["put", "post"])
async def test_what_was_sent_is_not_sent_again_over_another_connection(visitor: Visit, method: str) -> None:
    lamp = await device_of(visitor, "light_dimmer")
    ca = visitor.client.ca
    assert ca is not None
    async with LineBetween(visitor.gateway.port) as line:
        client = await connect_to(visitor.session, line.url, visitor.token, ca=ca.pem)
        # The connection is kept, and ends when it is used again.
        await client.integration()
        line.cuts_requests = True
        put = client.set_intent(lamp, "led_mode", "on")
        post = client.dimmer(lamp).set_brightness(10)
        sent, left = (put, post) if method == "put" else (post, put)
        left.close()
        with pytest.raises(HmConnectionError) as lost:
            await sent
        assert (lost.value.is_sent, line.cut_requests) == (True, 1)


async def test_comes_in_through_a_relay_that_only_passes_on(visitor: Visit) -> None:
    serial = (await visitor.client.integration()).gateway
    own_name = f"https://hm-{serial}.local:8490"
    async with LineBetween(visitor.gateway.port) as relay:
        through = f"127.0.0.1:{relay.port}"
        client = await connect_to(
            visitor.session, own_name, visitor.token, fingerprint=visitor.fingerprint, through=through
        )
        assert (await client.house()).gateway == serial
        async with await client.home() as home:
            assert isinstance(home, Home)
            assert home.connected
        with pytest.raises(TrustError):
            await connect_to(visitor.session, own_name, visitor.token, fingerprint=OTHER, through=through)
        with pytest.raises(ConnectionCodeError, match="its own name"):
            await connect_to(visitor.session, visitor.gateway.url, visitor.token, through=through)


async def test_a_ca_is_the_first_certificate_of_a_text(gateway: Gateway) -> None:
    pem = (Path(gateway.folder) / "tls/ca.pem").read_text()
    assert ca_of(f"About it:\n{pem}").fingerprint == await gateway.fingerprint()
    with pytest.raises(ValueError, match="no certificate"):
        ca_of("hello")
