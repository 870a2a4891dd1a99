"""Moves a home to another integration of its gateway."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er

from .const import CONF_GATEWAY, CONF_INTEGRATION, DOMAIN, OPTION_LIGHTS


async def move(hass: HomeAssistant, entry: ConfigEntry, integration: str) -> None:
    """Renames the ids of devices and entities for another integration.

    Ids of the gateway contain the integration, so a lamp has another id there. Names, areas and history
    belong to entries of Home Assistant, which stay. The next start removes devices that the other integration hides.
    """
    if entry.state is ConfigEntryState.LOADED:
        await hass.config_entries.async_unload(entry.entry_id)
    gateway = entry.data[CONF_GATEWAY]
    before, after = (f"{gateway}:{one}:" for one in (entry.data[CONF_INTEGRATION], integration))

    def moved(id: str) -> str:
        return after + id.removeprefix(before) if id.startswith(before) else id

    _move_entities(hass, entry, moved)
    _move_devices(hass, entry, moved)
    lights: Iterable[str] = entry.options.get(OPTION_LIGHTS, ())
    hass.config_entries.async_update_entry(
        entry, options={**entry.options, OPTION_LIGHTS: [moved(id) for id in lights]}
    )


def _move_entities(hass: HomeAssistant, entry: ConfigEntry, moved: Callable[[str], str]) -> None:
    registry = er.async_get(hass)
    for entity in er.async_entries_for_config_entry(registry, entry.entry_id):
        unique = moved(entity.unique_id)
        # An entity of an earlier set-up of that integration gives way.
        leftover = registry.async_get_entity_id(entity.domain, DOMAIN, unique)
        if leftover not in (None, entity.entity_id):
            registry.async_remove(leftover)
        if unique != entity.unique_id:
            registry.async_update_entity(entity.entity_id, new_unique_id=unique)


def _move_devices(hass: HomeAssistant, entry: ConfigEntry, moved: Callable[[str], str]) -> None:
    registry = dr.async_get(hass)
    for device in dr.async_entries_for_config_entry(registry, entry.entry_id):
        identifiers = {(domain, moved(id) if domain == DOMAIN else id) for domain, id in device.identifiers}
        if identifiers != device.identifiers:
            registry.async_update_device(device.id, new_identifiers=identifiers)
