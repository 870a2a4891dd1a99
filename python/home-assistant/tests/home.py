"""A home in Home Assistant, set up as a person does it: by its connection code."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from homeassistant.config_entries import SOURCE_USER, ConfigEntry, ConfigEntryState, ConfigFlowResult
from homeassistant.core import HomeAssistant, State, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers import issue_registry as ir

from custom_components.hm_gateway.hm_gateway_client import ActivityEntry, Connection, encode_connection_code
from gateway import Gateway

DOMAIN = "hm_gateway"
WAIT_S = 60
"""Timeout of every wait."""
FAILS_AT = 4
"""Factor above the goal at which a busy machine is no excuse any more."""


class SetUpHome:
    """Actions and waits of the tests."""

    def __init__(self, hass: HomeAssistant, gateway: Gateway, integration: str, entry: ConfigEntry) -> None:
        self.hass = hass
        self.gateway = gateway
        self.integration = integration
        self.entry = entry

    @classmethod
    async def of(cls, hass: HomeAssistant, gateway: Gateway, *expose: str, **knobs: str) -> Self:
        """Makes an integration and a key at the gateway, and pastes the code."""
        integration = await gateway.new_integration(*expose, **knobs)
        result = await paste(hass, await code_of(gateway, integration))
        assert result["type"] == "create_entry", result
        await hass.async_block_till_done()
        assert result["result"].state is ConfigEntryState.LOADED
        return cls(hass, gateway, integration, result["result"])

    async def unload(self) -> None:
        """Removes the home, if it is still there."""
        if self.entry.state is ConfigEntryState.LOADED:
            await self.hass.config_entries.async_unload(self.entry.entry_id)

    def device(self, local: str) -> str:
        """The gateway's id of a unit, gang or scene, by its local id."""
        gateway = self.entry.data["gateway"]
        return f"{gateway}:{self.integration}:{local}"

    def registered(self, local: str) -> dr.DeviceEntry | None:
        """The device in the registry."""
        registry = dr.async_get(self.hass)
        return registry.async_get_device_by_identifier((DOMAIN, self.device(local)), self.entry.entry_id)

    def entity(self, platform: str, local: str, what: str | None = None) -> str:
        """The id of an entity, by platform and subject."""
        found = self.find(platform, local, what)
        assert found is not None, (platform, local, what)
        return found

    def find(self, platform: str, local: str, what: str | None = None) -> str | None:
        """The id of an entity, or None."""
        unique = self.device(local) if what is None else f"{self.device(local)}#{what}"
        return er.async_get(self.hass).async_get_entity_id(platform, DOMAIN, unique)

    def state(self, entity_id: str) -> State:
        """The state of an entity."""
        state = self.hass.states.get(entity_id)
        assert state is not None, entity_id
        return state

    async def call(self, domain: str, service: str, entity_id: str, **data: Any) -> None:
        """Runs an action to its end."""
        await self.hass.services.async_call(domain, service, {"entity_id": entity_id, **data}, blocking=True)

    def repair(self, what: str) -> ir.IssueEntry | None:
        """A repair issue, or None."""
        return ir.async_get(self.hass).async_get_issue(DOMAIN, f"{self.entry.entry_id}_{what}")

    async def activity(self, local: str, since: float) -> list[ActivityEntry]:
        """Activity of a device or scene since a time in seconds, the oldest first."""
        client = self.entry.runtime_data.client
        answer = await client.activity(device=self.device(local), from_=int(since * 1000))
        return list(reversed(answer.entries))

    async def requests(self, endpoint: str) -> int:
        """Number of requests that an endpoint of the gateway has served (docs/operations.md)."""
        rows = re.findall(
            rf'^hm_requests_total{{[^}}]*endpoint="{re.escape(endpoint)}"[^}}]*}} (\d+)',
            await self.gateway.admin("GET", "/metrics"),
            re.MULTILINE,
        )
        return sum(int(row) for row in rows)

    async def allow(self, **knobs: str) -> None:
        """Sets knobs, as an administrator does."""
        await self.gateway.admin("PATCH", f"/integrations/{self.integration}", {"settings": knobs})

    async def change_unit(self, local: str, **fields: str) -> None:
        """Imports the house file of the gateway with changed lines of one unit."""
        file = str((await self.gateway.admin("GET", "/house/file"))["file"])
        found = re.search(rf"^  - id: {local}\n(?:    .*\n)+", file, re.MULTILINE)
        assert found is not None, file
        unchanged = [line for line in found[0].splitlines() if line.split(":")[0].strip() not in fields]
        lines = [*unchanged, *(f"    {name}: {value}" for name, value in fields.items())]
        changed = file.replace(found[0], "".join(f"{line}\n" for line in lines))
        await self.gateway.admin("PUT", "/house/file", {"file": changed, "check": False})

    async def shows(self, entity_id: str, is_so: Callable[[State], bool]) -> State:
        """Waits until the state of an entity fits."""
        await self.until(lambda: (it := self.hass.states.get(entity_id)) is not None and is_so(it))
        return self.state(entity_id)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Waits until a condition holds; checks it after every event of Home Assistant."""
        happened = asyncio.Event()

        @callback
        def hear(_: object) -> None:
            happened.set()

        stop = self.hass.bus.async_listen("*", hear)
        try:
            async with asyncio.timeout(WAIT_S):
                while not is_so():
                    await happened.wait()
                    happened.clear()
        finally:
            stop()


async def code_of(gateway: Gateway, integration: str) -> str:
    """A connection code of a new key, with a numeric address: the test plug-in has no name service."""
    key = await gateway.new_key(integration)
    return encode_connection_code(Connection((gateway.url,), await gateway.fingerprint(), key["token"]))


async def paste(hass: HomeAssistant, code: str) -> ConfigFlowResult:
    """Begins to add a home, and pastes a code."""
    form = await hass.config_entries.flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    assert form["type"] == "form"
    return await hass.config_entries.flow.async_configure(form["flow_id"], {"code": code})


def figure(text: str) -> None:
    """Prints a measurement to a file, because each test may run in its own process."""
    with (Path(__file__).parents[1] / "figures.txt").open("a") as notes:
        notes.write(text + "\n")


def held(what: str, measured: float, wanted: float, unit: str) -> None:
    """Prints a measurement beside its goal; fails if it exceeds even the allowance for a busy machine."""
    missed = "" if measured <= wanted else ", MISSED"
    figure(f"{what} {measured:.2f} {unit}, at most {wanted} {unit} wanted{missed}")
    assert measured <= FAILS_AT * wanted
