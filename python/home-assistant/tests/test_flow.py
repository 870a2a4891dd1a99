"""Adding a home, and the errors that a person sees."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from homeassistant.config_entries import (
    SOURCE_REAUTH,
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    SOURCE_ZEROCONF,
    ConfigEntryState,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

from custom_components.hm_gateway.hm_gateway_client import (
    Connection,
    decode_connection_code,
    encode_connection_code,
)
from gateway import ROOT, Gateway
from home import DOMAIN, SetUpHome, code_of, paste


def announced(serial: str, host: str = "127.0.0.1", port: int = 8490) -> ZeroconfServiceInfo:
    """Announcement of a gateway on the network (docs/discovery.md)."""
    return ZeroconfServiceInfo(
        ip_address=ip_address(host),
        ip_addresses=[ip_address(host)],
        port=port,
        hostname=f"hm-{serial}.local.",
        type="_hm-api._tcp.local.",
        name=f"hm-{serial}._hm-api._tcp.local.",
        properties={"v": "1.1.0", "gw": serial, "path": "/v1"},
    )


@asynccontextmanager
async def silent_listener() -> AsyncGenerator[str]:
    """Address of a listener that accepts connections and never responds."""
    ended = asyncio.Event()

    async def say_nothing(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await ended.wait()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        ended.set()
        server.close()
        await server.wait_closed()


async def test_one_pasted_code_and_the_house_stands(home: SetUpHome) -> None:
    assert home.entry.title == "Sonnenwinkel"
    assert len(home.hass.states.async_all()) > 60
    assert home.hass.states.get(home.entity("light", "study-light")) is not None


async def test_the_commands_of_the_documentation_make_what_home_assistant_needs(
    hass: HomeAssistant, gateway: Gateway
) -> None:
    page = (ROOT / "docs/home-assistant.md").read_text()
    create = re.search(r"^ +(bin/hm integration create .*)$", page, re.MULTILINE)
    assert create is not None
    assert "`bin/hm key create --integration ID`" in page
    integration = (await hm(gateway, create[1]))["integration"]["id"]
    key = await hm(gateway, f"bin/hm key create --integration {integration}")
    connection = decode_connection_code(key["connectionCode"])
    assert connection is not None
    # A numeric address, because the test plug-in has no name service.
    result = await paste(hass, encode_connection_code(replace(connection, addresses=(gateway.url,))))
    await hass.async_block_till_done()
    home = SetUpHome(hass, gateway, integration, result["result"])
    assert home.entry.state is ConfigEntryState.LOADED
    assert home.repair("advanced_config") is None
    assert home.find("number", "living-lamp", "off_delay") is not None
    lamp = home.registered("living-lamp")
    assert lamp is not None
    await hass.services.async_call(DOMAIN, "explain", {"device_id": lamp.id}, blocking=True, return_response=True)
    await home.unload()


async def hm(gateway: Gateway, command: str) -> dict[str, Any]:
    """JSON output of an administrator's command."""
    env = {**os.environ, "HM_DATA_DIR": str(gateway.folder)}
    process = await asyncio.create_subprocess_exec(
        *shlex.split(command), "--json", cwd=ROOT, env=env, stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0
    made: dict[str, Any] = json.loads(printed)
    return made


async def test_what_is_no_code_is_told_and_asked_for_again(hass: HomeAssistant) -> None:
    result = await paste(hass, "hmc1_nothing")
    assert result["errors"] == {"code": "no_code"}


async def test_another_ca_than_the_code_says_is_refused(hass: HomeAssistant, gateway: Gateway) -> None:
    connection = decode_connection_code(await code_of(gateway, await gateway.new_integration()))
    assert connection is not None
    forged = Connection(connection.addresses, ":".join(["AB"] * 32), connection.token)
    result = await paste(hass, encode_connection_code(forged))
    assert result["errors"] == {"base": "wrong_ca"}
    assert await gateway.fingerprint() in result["description_placeholders"]["reason"]


async def test_a_key_that_ended_and_a_gateway_that_is_away(hass: HomeAssistant, own_gateway: Gateway) -> None:
    integration = await own_gateway.new_integration()
    code = await code_of(own_gateway, integration)
    await own_gateway.admin("PATCH", f"/integrations/{integration}", {"enabled": False})
    assert (await paste(hass, code))["errors"] == {"base": "refused"}
    await own_gateway.admin("PATCH", f"/integrations/{integration}", {"enabled": True})
    connection = decode_connection_code(code)
    assert connection is not None
    await own_gateway.admin("DELETE", f"/keys/{connection.token.split('.')[2]}")
    assert (await paste(hass, code))["errors"] == {"base": "invalid_auth"}
    await own_gateway.kill()
    result = await paste(hass, code)
    assert result["errors"] == {"base": "cannot_connect"}


async def test_a_gateway_that_is_found_asks_for_its_code_alone(hass: HomeAssistant, gateway: Gateway) -> None:
    integration = await gateway.new_integration()
    code = await code_of(gateway, integration)
    serial = (await gateway.new_key(integration))["token"].split("_")[2].split(".")[0]
    found = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_ZEROCONF}, data=announced(serial)
    )
    assert found["step_id"] == "code"
    made = await hass.config_entries.flow.async_configure(found["flow_id"], {"code": code})
    assert made["type"] == "create_entry"
    assert made["result"].unique_id == serial
    other = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_ZEROCONF}, data=announced("zzzzzzzzzzzz")
    )
    wrong = await hass.config_entries.flow.async_configure(other["flow_id"], {"code": code})
    assert wrong["reason"] == "wrong_gateway"
    await hass.async_block_till_done()
    await hass.config_entries.async_unload(made["result"].entry_id)


@pytest_asyncio.fixture
async def wide_home(hass: HomeAssistant, tmp_path: Path, real_sockets: None) -> AsyncGenerator[SetUpHome]:
    """A home whose gateway also listens on ::1; its known address is 127.0.0.1."""
    gateway = await Gateway(tmp_path, HM_HOST="::").start()
    try:
        made = await SetUpHome.of(hass, gateway)
        yield made
        await made.unload()
    finally:
        await gateway.kill()


async def found_at(home: SetUpHome, host: str, port: int) -> None:
    """An announcement of the home's serial at an address."""
    result = await home.hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_ZEROCONF}, data=announced(home.entry.data["gateway"], host, port)
    )
    assert result["reason"] == "already_configured"
    await home.hass.async_block_till_done()


async def test_a_new_address_that_shows_the_pinned_ca_is_kept(wide_home: SetUpHome) -> None:
    await found_at(wide_home, "::1", wide_home.gateway.port)
    assert wide_home.entry.data["addresses"] == [f"https://[::1]:{wide_home.gateway.port}", wide_home.gateway.url]


@pytest.mark.parametrize("named", [True, False])
async def test_a_name_stays_first_only_where_it_answered_first(wide_home: SetUpHome, named: bool) -> None:
    serial, port = wide_home.entry.data["gateway"], wide_home.gateway.port
    name, here, there = f"https://hm-{serial}.local:{port}", wide_home.gateway.url, f"https://[::1]:{port}"
    known = [name, here] if named else [here, name]
    wide_home.hass.config_entries.async_update_entry(wide_home.entry, data={**wide_home.entry.data, "addresses": known})
    await found_at(wide_home, "::1", port)
    assert wide_home.entry.data["addresses"] == ([name, there, here] if named else [there, here, name])


async def test_false_announcements_clear_no_address(home: SetUpHome, own_gateway: Gateway) -> None:
    """A closed port, a silent listener, and a gateway with another CA."""
    before = dict(home.entry.data)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    async with silent_listener() as silent:
        for port in (closed, int(silent.rsplit(":", 1)[1]), own_gateway.port, closed):
            await found_at(home, "127.0.0.1", port)
        await found_at(home, "::1", closed)
    assert dict(home.entry.data) == before


async def test_what_says_no_serial_is_no_gateway(hass: HomeAssistant) -> None:
    result = await hass.config_entries.flow.async_init(DOMAIN, context={"source": SOURCE_ZEROCONF}, data=announced(""))
    assert result["reason"] == "not_a_gateway"


async def test_the_same_home_is_not_added_twice(home: SetUpHome) -> None:
    result = await paste(home.hass, await code_of(home.gateway, home.integration))
    assert result["reason"] == "already_configured"


async def test_a_key_that_is_revoked_asks_for_a_new_one(home: SetUpHome) -> None:
    link = home.entry.data["token"].split(".")[2]
    await home.gateway.admin("DELETE", f"/keys/{link}")
    await home.until(lambda: bool(home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)))
    (flow,) = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    other = await home.gateway.new_integration()
    result = await home.hass.config_entries.flow.async_configure(
        flow["flow_id"], {"code": await code_of(home.gateway, other)}
    )
    assert result["step_id"] == "move"
    home.hass.config_entries.flow.async_abort(flow["flow_id"])
    home.entry.async_start_reauth(home.hass)
    await home.hass.async_block_till_done()
    (flow,) = home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    result = await home.hass.config_entries.flow.async_configure(
        flow["flow_id"], {"code": await code_of(home.gateway, home.integration)}
    )
    assert result["reason"] == "reauth_successful"
    await home.hass.async_block_till_done()
    assert home.state(home.entity("light", "study-light")).state != "unavailable"


@pytest.mark.parametrize("source", [SOURCE_USER, SOURCE_RECONFIGURE, SOURCE_REAUTH])
async def test_a_code_of_another_integration_moves_the_home_and_keeps_what_people_made_of_it(
    home: SetUpHome, source: str
) -> None:
    hass, entry, before = home.hass, home.entry, home.integration
    entities, devices = er.async_get(hass), dr.async_get(hass)
    lamp = entities.async_update_entity(
        home.entity("light", "study-light"), new_entity_id="light.desk", name="Desk", area_id="office"
    )
    device = home.registered("study-light")
    socket_ = home.device("living-tv")
    assert device is not None
    devices.async_update_device(device.id, name_by_user="My desk")
    hass.config_entries.async_update_entry(entry, options={"lights": [socket_]})
    # The integration exposes only the study.
    other = await home.gateway.new_integration("room:study", "unit:living-tv")
    flow = await begun_by(home, source)
    code = await code_of(home.gateway, other)
    form = await hass.config_entries.flow.async_configure(flow, {"code": code})
    assert form["step_id"] == "move"
    assert form["description_placeholders"]["home"] == entry.title
    assert form["description_placeholders"]["integration"] == "Python"
    assert entry.data["integration"] == before
    assert home.state(lamp.entity_id).state in ("on", "off")
    moved = await hass.config_entries.flow.async_configure(flow, {})
    assert moved["reason"] == "moved"
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    assert entry.data["integration"] == other
    home.integration = other
    same = entities.async_get("light.desk")
    assert same is not None
    assert [same.id, same.name, same.area_id] == [lamp.id, "Desk", "office"]
    assert same.unique_id == home.device("study-light")
    device_after = home.registered("study-light")
    assert device_after is not None
    assert [device_after.id, device_after.name_by_user] == [device.id, "My desk"]
    assert entry.options["lights"] == [home.device("living-tv")]
    await home.shows("light.desk", lambda it: it.state in ("on", "off"))
    await home.call("light", "turn_on", "light.desk")
    await home.shows("light.desk", lambda it: it.state == "on")
    # No entity of the old integration stays, nor any that the new one does not expose.
    left = er.async_entries_for_config_entry(entities, entry.entry_id)
    assert not [entity.unique_id for entity in left if before in entity.unique_id]
    assert home.registered("living-lamp") is None
    assert len(hass.config_entries.async_entries(DOMAIN)) == 1


async def begun_by(home: SetUpHome, source: str) -> str:
    """The flow that waits for a code, started by a person or by Home Assistant."""
    if source == SOURCE_REAUTH:
        home.entry.async_start_reauth(home.hass)
        await home.hass.async_block_till_done()
        return home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)[0]["flow_id"]
    context = {"source": source, **({"entry_id": home.entry.entry_id} if source == SOURCE_RECONFIGURE else {})}
    return (await home.hass.config_entries.flow.async_init(DOMAIN, context=context))["flow_id"]


async def test_a_new_code_of_the_same_integration_changes_the_connection(own_home: SetUpHome) -> None:
    entry, lamp = own_home.entry, own_home.entity("light", "study-light")
    before = dict(entry.data)
    # Another port, because another address of this machine would need a name service.
    await own_home.gateway.kill()
    own_home.gateway.port = 0
    await own_home.gateway.start()
    await own_home.shows(lamp, lambda it: it.state == "unavailable")
    code = await code_of(own_home.gateway, own_home.integration)
    flow = await own_home.hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}
    )
    result = await own_home.hass.config_entries.flow.async_configure(flow["flow_id"], {"code": code})
    assert result["reason"] == "reconfigure_successful"
    await own_home.hass.async_block_till_done()
    connection = decode_connection_code(code)
    assert connection is not None
    assert entry.state is ConfigEntryState.LOADED
    changed = {name: value for name, value in entry.data.items() if before[name] != value}
    assert changed == {"addresses": [own_home.gateway.url], "token": connection.token}
    await own_home.shows(lamp, lambda it: it.state in ("on", "off"))


async def test_an_address_where_nobody_answers_holds_no_start_up(hass: HomeAssistant, gateway: Gateway) -> None:
    integration = await gateway.new_integration()
    key = await gateway.new_key(integration)
    async with silent_listener() as silent:
        code = encode_connection_code(Connection((silent, gateway.url), await gateway.fingerprint(), key["token"]))
        result = await paste(hass, code)
        assert result["type"] == "create_entry"
        await hass.async_block_till_done()
        entry = result["result"]
        assert entry.state is ConfigEntryState.LOADED
        assert entry.data["addresses"] == [gateway.url, silent]
        await hass.config_entries.async_unload(entry.entry_id)


async def test_another_ca_is_told_with_both_fingerprints_and_never_taken(own_home: SetUpHome) -> None:
    before = await own_home.gateway.fingerprint()
    lamp = own_home.entity("light", "study-light")
    await own_home.gateway.admin("POST", "/tls/regenerate-ca", {})
    # Existing connections stay; only a new connection meets the other CA.
    await own_home.gateway.kill()
    await own_home.gateway.start()
    issue = f"{own_home.entry.entry_id}_ca_changed"
    await own_home.until(lambda: ir.async_get(own_home.hass).async_get_issue(DOMAIN, issue) is not None)
    after = await own_home.gateway.fingerprint()
    repair = ir.async_get(own_home.hass).async_get_issue(DOMAIN, issue)
    assert repair is not None
    assert repair.translation_placeholders is not None
    assert repair.translation_placeholders["expected"] == before
    assert repair.translation_placeholders["found"] == after
    await own_home.shows(lamp, lambda it: it.state == "unavailable")
    await own_home.until(lambda: bool(own_home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)))
    (flow,) = own_home.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
    result = await own_home.hass.config_entries.flow.async_configure(
        flow["flow_id"], {"code": await code_of(own_home.gateway, own_home.integration)}
    )
    assert result["reason"] == "reauth_successful"
    await own_home.hass.async_block_till_done()
    assert ir.async_get(own_home.hass).async_get_issue(DOMAIN, issue) is None
    assert own_home.state(lamp).state != "unavailable"
