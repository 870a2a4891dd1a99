"""Switches, and settings that are on or off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, override

from homeassistant.components.switch import SwitchEntity
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, HmEntity, HmOnOff
from .groups import HmGroupOnOff, groups_on
from .hm_gateway_client import HomeDevice
from .hub import HmConfigEntry, Hub
from .loads import load_of
from .setting import HmSetting, settings_of_type

PARALLEL_UPDATES = 0


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the switches, and the settings that are on or off."""
    entry.runtime_data.shown.add_platform(Platform.SWITCH, add, of_device=_switches, of_home=_groups)


def _switches(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if load_of(device) == "plain" and not hub.is_light(device):
        yield HmSwitch(hub, device)
    for intent in settings_of_type(hub, device, "boolean"):
        yield SettingSwitch(hub, device, intent)


def _groups(hub: Hub) -> Iterable[HmEntity]:
    return [SwitchGroup(hub, id) for id in groups_on(hub, Platform.SWITCH)]


class SwitchGroup(HmGroupOnOff, SwitchEntity):
    """A group of which some members switch on and off."""


class HmSwitch(HmOnOff, SwitchEntity):
    """A switch of a load other than a lamp."""


class SettingSwitch(HmSetting, SwitchEntity):
    """A setting that is on or off."""

    @property
    @override
    def is_on(self) -> bool | None:
        return self.confirmed if isinstance(self.confirmed, bool) else None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.write(True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.write(False)
