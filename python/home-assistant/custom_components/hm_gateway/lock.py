"""Locks. A refusal shows the gateway's message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, override

from homeassistant.components.lock import LockEntity
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, state_of
from .hm_gateway_client import HomeDevice, LockState
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the locks."""
    entry.runtime_data.shown.add_platform(Platform.LOCK, add, of_device=_locks)


def _locks(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if device.class_ == "lock":
        yield HmLock(hub, device)


class HmLock(HmDeviceEntity, LockEntity):
    """A lock. Unlocking is the operation ``open``, which needs the knob ``allow_unlock``."""

    @property
    @override
    def is_locked(self) -> bool | None:
        state = state_of(self.device, LockState)
        return None if state is None else state.locked

    @override
    async def async_lock(self, **kwargs: Any) -> None:
        await self.control("close")

    @override
    async def async_unlock(self, **kwargs: Any) -> None:
        await self.control("open")
