"""Lamps: dimmers, light switches, and switches that feed a lamp."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, override

from homeassistant.components.light import LightEntity
from homeassistant.components.light.const import ATTR_BRIGHTNESS, ColorMode
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util.color import brightness_to_value, value_to_brightness

from .entity import HmDeviceEntity, HmEntity, HmOnOff, state_of
from .groups import HmGroupOnOff, groups_on, members_of
from .hm_gateway_client import DimmerState, HomeDevice
from .hub import HmConfigEntry, Hub
from .loads import load_of

PARALLEL_UPDATES = 0
PERCENT = (1, 100)


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the lamps."""
    entry.runtime_data.shown.add_platform(Platform.LIGHT, add, of_device=_lamps, of_home=_groups)


def _lamps(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    if device.class_ == "light_dimmer":
        yield DimmerLight(hub, device)
    elif device.class_ == "light_switch" or (load_of(device) == "plain" and hub.is_light(device)):
        yield SwitchLight(hub, device)


def _groups(hub: Hub) -> Iterable[HmEntity]:
    for id in groups_on(hub, Platform.LIGHT):
        dims = any(device.class_ == "light_dimmer" for device in members_of(hub, id))
        yield DimmerGroup(hub, id) if dims else SwitchGroup(hub, id)


def _percent(brightness: int) -> int:
    """Brightness at the gateway. A lamp that is on has at least one percent."""
    return max(1, round(brightness_to_value(PERCENT, brightness)))


class SwitchLight(HmOnOff, LightEntity):
    """A lamp that is on or off."""

    _attr_color_mode = ColorMode.ONOFF
    _attr_supported_color_modes = {ColorMode.ONOFF}  # noqa: RUF012 - as its base class has it


class DimmerLight(HmOnOff, LightEntity):
    """A lamp with a brightness: 0 to 100 percent at the gateway, 0 to 255 in Home Assistant."""

    _attr_color_mode = ColorMode.BRIGHTNESS
    _attr_supported_color_modes = {ColorMode.BRIGHTNESS}  # noqa: RUF012 - as its base class has it

    @property
    @override
    def brightness(self) -> int | None:
        state = state_of(self.device, DimmerState)
        return None if state is None else value_to_brightness(PERCENT, state.bri)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        if ATTR_BRIGHTNESS not in kwargs:
            await super().async_turn_on()
            return
        await self.control("set_brightness", bri=_percent(kwargs[ATTR_BRIGHTNESS]))


class SwitchGroup(HmGroupOnOff, LightEntity):
    """A group of lamps that are on or off."""

    _attr_color_mode = ColorMode.ONOFF
    _attr_supported_color_modes = {ColorMode.ONOFF}  # noqa: RUF012 - as its base class has it


class DimmerGroup(HmGroupOnOff, LightEntity):
    """A group of lamps of which at least one has a brightness."""

    _attr_color_mode = ColorMode.BRIGHTNESS
    _attr_supported_color_modes = {ColorMode.BRIGHTNESS}  # noqa: RUF012 - as its base class has it

    @property
    @override
    def brightness(self) -> int | None:
        """The mean of the dimmers that are on."""
        states = [state for device in self.members if isinstance(state := device.state, DimmerState) and state.on]
        return value_to_brightness(PERCENT, sum(state.bri for state in states) / len(states)) if states else None

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        if ATTR_BRIGHTNESS not in kwargs:
            await super().async_turn_on()
            return
        await self.control("set_brightness", bri=_percent(kwargs[ATTR_BRIGHTNESS]))
        # Lamps without a brightness are switched on.
        if any("set_brightness" not in device.operations for device in self.members):
            await self.control("set_power", on=True)
