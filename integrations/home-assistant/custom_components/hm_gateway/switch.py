"""Switches, and settings that are on or off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, override

from homeassistant.components.switch import SwitchEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, state_of
from .hm_gateway_client import HomeDevice, PowerState, SwitchState
from .hub import HmConfigEntry, Hub
from .setting import HmSetting, settings_of_type

PARALLEL_UPDATES = 0
SWITCHES: Final = ("power_switch", "sense_switch", "switch_gang")


def is_plain_switch(device: HomeDevice) -> bool:
    """Whether it switches something that it does not know; what feeds a climate load is a climate entity."""
    return device.class_ in SWITCHES and "set_temp" not in device.operations


async def async_setup_entry(
    hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback
) -> None:
    """Shows the switches, and the settings."""
    entry.runtime_data.add_platform(add, _found)


def _found(hub: Hub) -> Iterable[HmDeviceEntity]:
    for device in hub.home.devices.values():
        if is_plain_switch(device) and not hub.is_light(device):
            yield HmSwitch(hub, device)
    for device, intent in settings_of_type(hub, "boolean"):
        yield SettingSwitch(hub, device, intent)


class HmSwitch(HmDeviceEntity, SwitchEntity):
    """A switch of something that is no lamp."""

    @property
    @override
    def is_on(self) -> bool | None:
        state = state_of(self.device, SwitchState) or state_of(self.device, PowerState)
        return None if state is None else state.on

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        await self.control("set_power", on=True)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        await self.control("set_power", on=False)


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
