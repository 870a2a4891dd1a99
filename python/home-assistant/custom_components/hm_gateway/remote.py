"""Infrared remotes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, override

from homeassistant.components.remote import RemoteEntity
from homeassistant.components.remote.const import ATTR_DELAY_SECS, ATTR_NUM_REPEATS
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity
from .hm_gateway_client import HomeDevice
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 1


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the remotes."""
    entry.runtime_data.shown.add_platform(Platform.REMOTE, add, of_device=_remotes)


def _remotes(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if device.class_ == "ir_remote":
        yield HmRemote(hub, device)


class HmRemote(HmDeviceEntity, RemoteEntity):
    """Sends keys. The state of the controlled appliance is unknown."""

    _attr_is_on = None

    @override
    async def async_send_command(self, command: Iterable[str], **kwargs: Any) -> None:
        keys = list(command) * kwargs.get(ATTR_NUM_REPEATS, 1)
        for place, key in enumerate(keys):
            if place > 0:
                # Without a delay, the next key follows once the unit has confirmed this one.
                await asyncio.sleep(kwargs.get(ATTR_DELAY_SECS, 0))
            await self.control("key", key=key)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.control("key", key="power")

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.control("key", key="power")
