"""Settings that are whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, override

from homeassistant.components.number import NumberDeviceClass, NumberEntity, NumberMode
from homeassistant.const import LIGHT_LUX, PERCENTAGE, Platform, UnitOfTime
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .hm_gateway_client import HomeDevice, IntentDef
from .hub import HmConfigEntry, Hub
from .setting import HmSetting, settings_of_type

PARALLEL_UPDATES = 0

UNITS: Final[dict[str, tuple[str, NumberDeviceClass | None]]] = {
    "turn_on_brightness": (PERCENTAGE, None),
    "off_delay": (UnitOfTime.SECONDS, NumberDeviceClass.DURATION),
    "off_after_no_motion": (UnitOfTime.MINUTES, NumberDeviceClass.DURATION),
    "quick_off": (UnitOfTime.MINUTES, NumberDeviceClass.DURATION),
    "only_when_dark": (LIGHT_LUX, NumberDeviceClass.ILLUMINANCE),
    "shutter_eco_light": (LIGHT_LUX, NumberDeviceClass.ILLUMINANCE),
}
"""Unit of measurement of each number (docs/intents.md#catalogue); the service has none."""


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the settings that are numbers."""
    entry.runtime_data.shown.add_platform(Platform.NUMBER, add, of_device=_numbers)


def _numbers(hub: Hub, device: HomeDevice) -> Iterable[HmSetting]:
    return (SettingNumber(hub, device, intent) for intent in settings_of_type(hub, device, "integer"))


class SettingNumber(HmSetting, NumberEntity):
    """A setting that is a number, within the bounds of its schema."""

    _attr_mode = NumberMode.BOX

    def __init__(self, hub: Hub, device: HomeDevice, intent: IntentDef) -> None:
        """Offers the widest bounds if units and gangs differ; the gateway decides."""
        super().__init__(hub, device, intent)
        # A setting of a later version is a plain number.
        unit, device_class = UNITS.get(intent.id, (None, None))
        self._attr_native_unit_of_measurement = unit
        self._attr_device_class = device_class
        shapes = intent.value.get("anyOf", [intent.value])
        self._attr_native_min_value = min(shape["minimum"] for shape in shapes)
        self._attr_native_max_value = max(shape["maximum"] for shape in shapes)
        # A step that every shape accepts; without one, whole numbers.
        self._attr_native_step = math.gcd(*(shape.get("multipleOf", 1) for shape in shapes))

    @property
    @override
    def native_value(self) -> float | None:
        return self.confirmed if isinstance(self.confirmed, int | float) else None

    @override
    async def async_set_native_value(self, value: float) -> None:
        await self.write(round(value))
