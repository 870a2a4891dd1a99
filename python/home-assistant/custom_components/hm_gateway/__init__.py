"""A home whose gateway serves the Home Control Service API 1.1.0, in Home Assistant."""

from __future__ import annotations

import asyncio
from typing import Final

from homeassistant.const import CONF_TOKEN
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.typing import ConfigType

from . import problems, services
from .const import CONF_ADDRESSES, CONF_CA, DOMAIN, PLATFORMS
from .hm_gateway_client import Client, HmClientError, HmError, Home, IntegrationAnswer, TrustError, connect_to
from .hub import HmConfigEntry, Hub, sees_mode, sees_people

OPENED_WITHIN: Final = 30
"""Seconds. Without a timeout, a refused stream would block the set-up for ever."""
CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Registers the actions, which exist even without a connected home."""
    services.register(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry) -> bool:
    """Connects to the home, reads it once and follows it."""
    client = await connect_to(
        async_get_clientsession(hass), entry.data[CONF_ADDRESSES], entry.data[CONF_TOKEN], ca=entry.data[CONF_CA]
    )
    home, integration = await _opened(hass, entry, client)
    problems.let_in(hass, entry)
    problems.keep_to_knobs(hass, entry, integration.integration.settings)
    hub = entry.runtime_data = Hub(hass, entry, client, home, integration)
    try:
        await hub.prepare()
        await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
        hub.stand()
    except HmClientError as error:
        await hub.close()
        raise _not_reached(error) from error
    except BaseException:
        await hub.close()
        raise
    return True


async def async_unload_entry(hass: HomeAssistant, entry: HmConfigEntry) -> bool:
    """Stops following the home."""
    unloaded = await hass.config_entries.async_unload_platforms(entry, PLATFORMS)
    if unloaded:
        await entry.runtime_data.close()
    return unloaded


async def async_remove_entry(hass: HomeAssistant, entry: HmConfigEntry) -> None:
    """Deletes the repair issues of the removed home."""
    problems.solve_all(hass, entry)


async def async_remove_config_entry_device(hass: HomeAssistant, entry: HmConfigEntry, device: dr.DeviceEntry) -> bool:
    """Lets a person remove what the home no longer shows."""
    present = {entry.runtime_data.gateway, *entry.runtime_data.home.devices}
    return not any(domain == DOMAIN and id in present for domain, id in device.identifiers)


async def _opened(hass: HomeAssistant, entry: HmConfigEntry, client: Client) -> tuple[Home, IntegrationAnswer]:
    """Reads the home; raises a Home Assistant error if that fails."""
    try:
        async with asyncio.timeout(OPENED_WITHIN):
            integration = await client.integration()
            follows = {"with_mode": await sees_mode(client), "with_people": sees_people(integration)}
            return await client.home(**follows, with_messages=True, with_touches=True), integration
    except TimeoutError as error:
        raise _not_reached("no answer") from error
    except HmClientError as error:
        problems.tell(hass, entry, error)
        if isinstance(error, TrustError) or (isinstance(error, HmError) and error.status == 401):
            raise ConfigEntryAuthFailed(
                translation_domain=DOMAIN,
                translation_key="not_let_in",
                translation_placeholders={"reason": str(error)},
            ) from error
        raise _not_reached(error) from error


def _not_reached(reason: object) -> ConfigEntryNotReady:
    """Makes Home Assistant retry later and show the reason."""
    return ConfigEntryNotReady(
        translation_domain=DOMAIN, translation_key="not_reached", translation_placeholders={"reason": str(reason)}
    )
