"""What helps whoever helps: the home in numbers and kinds, without a secret, a name or an address."""

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
    """The settings of the integration, and how many of what there are."""
    hub = entry.runtime_data
    devices = hub.home.devices.values()
    return {
        "entry": async_redact_data(dict(entry.data), SECRET),
        "connected": hub.home.connected,
        "error": None if hub.home.error is None else type(hub.home.error).__name__,
        "knobs": dict(hub.integration.integration.settings),
        "credential": hub.integration.integration.credential.kind,
        "classes": dict(Counter(each.class_ for each in devices)),
        "models": dict(Counter(each.model or "unknown" for each in devices)),
        "silent": sum(not each.reachable for each in devices),
        "unheard": sum(each.state is None and each.kind != "module" for each in devices),
        "scenes": len(hub.home.scenes),
        "measuring": len(hub.home.sensors),
    }
