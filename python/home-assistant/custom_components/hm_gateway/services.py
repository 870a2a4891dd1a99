"""The actions ``explain``, the explanation of a state as data, and ``report_presence`` of a person."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final, cast

import probatio as vol
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import ATTR_DEVICE_ID, ATTR_ENTITY_ID, STATE_HOME, STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant, ServiceCall, ServiceResponse, SupportsResponse, callback
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers import device_registry as dr
from homeassistant.util import dt as dt_util

from .const import DOMAIN
from .hm_gateway_client import ExplainItem, HmClientError
from .hub import HmConfigEntry, Hub

EXPLAIN: Final = "explain"
HOURS: Final = "hours"
MS_OF_HOUR: Final = 3_600_000
SCHEMA: Final = vol.Schema(
    {
        vol.Required(ATTR_DEVICE_ID): cv.string,
        vol.Optional(HOURS, default=24): vol.All(vol.Coerce(int), vol.Range(min=1, max=24 * 30)),
    }
)


REPORT: Final = "report_presence"
PERSON: Final = "person"
REPORT_SCHEMA: Final = vol.Schema({vol.Required(ATTR_ENTITY_ID): cv.entity_id, vol.Required(PERSON): cv.string})
PRESENCES: Final = {STATE_HOME: "home", STATE_UNKNOWN: "unknown", STATE_UNAVAILABLE: "unknown"}
"""Presence in the home by state of a person here; every other zone is away."""


@callback
def register(hass: HomeAssistant) -> None:
    """Registers the actions."""
    hass.services.async_register(DOMAIN, REPORT, _report, schema=REPORT_SCHEMA)
    hass.services.async_register(DOMAIN, EXPLAIN, _explain, schema=SCHEMA, supports_response=SupportsResponse.ONLY)


async def _explain(call: ServiceCall) -> ServiceResponse:
    hub, device = _found(call.hass, call.data[ATTR_DEVICE_ID])
    now = int(dt_util.utcnow().timestamp() * 1000)
    try:
        answer = await hub.client.explain(device, from_=now - call.data[HOURS] * MS_OF_HOUR, to=now)
    except HmClientError as error:
        raise _refusal(error) from error
    return cast("ServiceResponse", {"items": [_item(item) for item in answer.items], "note": answer.note})


async def _report(call: ServiceCall) -> None:
    """Reports the present state of a person of Home Assistant."""
    state = call.hass.states.get(call.data[ATTR_ENTITY_ID])
    presence = "unknown" if state is None else PRESENCES.get(state.state, "away")
    hub, person = _reporter(call.hass, call.data[PERSON])
    try:
        await hub.client.report_presence(person, presence)
    except HmClientError as error:
        raise _refusal(error) from error


def _reporter(hass: HomeAssistant, typed: str) -> tuple[Hub, str]:
    """The home that takes reports about a person, by their id or name there, and the id."""
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        hub = cast("HmConfigEntry", entry).runtime_data
        people = hub.home.people
        named = () if people is None else people.persons
        ids = {typed, *(one.id for one in named if one.name.casefold() == typed.casefold())}
        for id in hub.integration.integration.reports:
            if id in ids:
                return hub, id
    raise ServiceValidationError(translation_domain=DOMAIN, translation_key="no_person_of_home")


def _item(item: ExplainItem) -> dict[str, object]:
    at = None if item.at is None else dt_util.utc_from_timestamp(item.at / 1000).isoformat()
    cause = None if item.cause is None else asdict(item.cause)
    return {"what": item.what, "kind": item.kind, "source": item.source, "at": at, "cause": cause}


def _found(hass: HomeAssistant, id: str) -> tuple[Hub, str]:
    """The home of a device in Home Assistant, and its id there; raises ServiceValidationError if it has no home."""
    device = dr.async_get(hass).async_get(id)
    for entry_id in () if device is None else device.config_entries:
        entry = hass.config_entries.async_get_entry(entry_id)
        if device is None or entry is None or entry.domain != DOMAIN or entry.state is not ConfigEntryState.LOADED:
            continue
        hub = cast("HmConfigEntry", entry).runtime_data
        for domain, own in device.identifiers:
            if domain == DOMAIN and own in hub.home.devices:
                return hub, own
    raise ServiceValidationError(translation_domain=DOMAIN, translation_key="no_device_of_home")


def _refusal(error: HmClientError) -> HomeAssistantError:
    """A refused request as an error of Home Assistant, with the gateway's sentence."""
    return HomeAssistantError(
        str(error),
        translation_domain=DOMAIN,
        translation_key="refused",
        translation_placeholders={"reason": str(error)},
    )
