"""Diagnostics of a home: numbers and kinds, without secrets, names or addresses."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_TOKEN
from homeassistant.core import HomeAssistant

from .const import CONF_ADDRESSES, CONF_CA, CONF_FINGERPRINT, CONF_GATEWAY, CONF_INTEGRATION
from .hub import HmConfigEntry

SECRET: Final = {CONF_TOKEN, CONF_CA, CONF_ADDRESSES, CONF_FINGERPRINT, CONF_GATEWAY, CONF_INTEGRATION}


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: HmConfigEntry) -> dict[str, Any]:
    """Settings of the integration, and counts of its devices."""
    hub = entry.runtime_data
    devices = hub.home.devices.values()
    return {
        "entry": async_redact_data(dict(entry.data), SECRET),
        "connected": hub.home.connected,
        "error": None if hub.home.error is None else type(hub.home.error).__name__,
        "knobs": dict(hub.integration.integration.settings),
        "credential": hub.integration.integration.credential.kind,
        "classes": dict(Counter(device.class_ for device in devices)),
        "models": dict(Counter(device.model or "unknown" for device in devices)),
        "silent": sum(not device.reachable for device in devices),
        "unheard": sum(device.state is None and device.kind != "module" for device in devices),
        "scenes": len(hub.home.scenes),
        "measuring": len(hub.home.sensors),
    }
