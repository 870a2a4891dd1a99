"""Readings of units."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import (
    CONCENTRATION_PARTS_PER_MILLION,
    LIGHT_LUX,
    PERCENTAGE,
    EntityCategory,
    Platform,
    UnitOfEnergy,
    UnitOfPower,
    UnitOfTemperature,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity
from .hm_gateway_client import HomeDevice, SensorState
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class ReadingDescription(SensorEntityDescription):
    """One reading that is a number."""

    value: Callable[[SensorState], float | None]


def _reading(
    key: str,
    device_class: SensorDeviceClass,
    unit: str,
    value: Callable[[SensorState], float | None],
    category: EntityCategory | None = None,
) -> ReadingDescription:
    return ReadingDescription(
        key=key,
        device_class=device_class,
        native_unit_of_measurement=unit,
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=category,
        value=value,
    )


READINGS: Final = (
    _reading("temperature", SensorDeviceClass.TEMPERATURE, UnitOfTemperature.CELSIUS, lambda it: it.temperature),
    _reading("humidity", SensorDeviceClass.HUMIDITY, PERCENTAGE, lambda it: it.humidity),
    _reading("light", SensorDeviceClass.ILLUMINANCE, LIGHT_LUX, lambda it: it.light),
    _reading("co2", SensorDeviceClass.CO2, CONCENTRATION_PARTS_PER_MILLION, lambda it: it.co2),
    _reading("power", SensorDeviceClass.POWER, UnitOfPower.WATT, lambda it: it.power),
    ReadingDescription(
        key="energy",
        device_class=SensorDeviceClass.ENERGY,
        native_unit_of_measurement=UnitOfEnergy.WATT_HOUR,
        # The unit of the energy page.
        suggested_unit_of_measurement=UnitOfEnergy.KILO_WATT_HOUR,
        suggested_display_precision=2,
        # A counter that decreases was reset or replaced; Home Assistant continues from the new value.
        state_class=SensorStateClass.TOTAL_INCREASING,
        value=lambda it: it.energy,
    ),
    _reading("battery", SensorDeviceClass.BATTERY, PERCENTAGE, lambda it: it.battery, EntityCategory.DIAGNOSTIC),
)


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the readings."""
    entry.runtime_data.shown.add_platform(Platform.SENSOR, add, of_device=_readings)


def _readings(hub: Hub, device: HomeDevice) -> Iterable[HmDeviceEntity]:
    readings = hub.home.sensors.get(device.id)
    if readings is not None:
        for description in READINGS:
            if description.value(readings) is not None:
                yield HmReading(hub, device, description)


class HmReading(HmDeviceEntity, SensorEntity):
    """One reading, as last reported."""

    entity_description: ReadingDescription

    def __init__(self, hub: Hub, device: HomeDevice, description: ReadingDescription) -> None:
        """Takes its name from its device class."""
        super().__init__(hub, device, description)

    @property
    @override
    def native_value(self) -> float | None:
        readings = self.hub.home.sensors.get(self.subject)
        return None if readings is None else self.entity_description.value(readings)
