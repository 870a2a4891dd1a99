"""Motion, doors, smoke, water, tampering, people, and the connections of the gateway and its units."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, override

from homeassistant.components.binary_sensor import BinarySensorEntity, BinarySensorEntityDescription
from homeassistant.components.binary_sensor.const import BinarySensorDeviceClass
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, HmEntity
from .hm_gateway_client import HomeDevice, PersonPresence, Presence, SensorState
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class DetectionDescription(BinarySensorEntityDescription):
    """One reading that is true or false."""

    value: Callable[[SensorState], bool | None]


DETECTIONS: Final = (
    DetectionDescription(key="motion", device_class=BinarySensorDeviceClass.MOTION, value=lambda it: it.motion),
    DetectionDescription(key="door", device_class=BinarySensorDeviceClass.DOOR, value=lambda it: it.door),
    DetectionDescription(key="smoke", device_class=BinarySensorDeviceClass.SMOKE, value=lambda it: it.smoke),
    DetectionDescription(key="water", device_class=BinarySensorDeviceClass.MOISTURE, value=lambda it: it.water),
    DetectionDescription(key="tamper", device_class=BinarySensorDeviceClass.TAMPER, value=lambda it: it.tamper),
)
ANYONE: Final = "anyone"
REACHABLE: Final = BinarySensorEntityDescription(
    key="reachable",
    device_class=BinarySensorDeviceClass.CONNECTIVITY,
    entity_category=EntityCategory.DIAGNOSTIC,
)


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up detections and connections."""
    entry.runtime_data.shown.add_platform(Platform.BINARY_SENSOR, add, of_device=_detections, of_home=_gateway)


def _gateway(hub: Hub) -> Iterable[HmEntity]:
    yield Connection(hub)
    if hub.home.people is not None:
        yield AtHome(hub, ANYONE)
        for person in hub.home.people.persons:
            yield AtHome(hub, person.id)


def _detections(hub: Hub, device: HomeDevice) -> Iterable[HmEntity]:
    if device.kind != "gang":
        yield Reachable(hub, device, REACHABLE)
    readings = hub.home.sensors.get(device.id)
    for description in DETECTIONS:
        if readings is not None and description.value(readings) is not None:
            yield Detection(hub, device, description)


class Detection(HmDeviceEntity, BinarySensorEntity):
    """A detection that lasts: motion, an open door, smoke, water or tampering."""

    entity_description: DetectionDescription

    @property
    @override
    def is_on(self) -> bool | None:
        readings = self.hub.home.sensors.get(self.subject)
        return None if readings is None else self.entity_description.value(readings)


class Reachable(HmDeviceEntity, BinarySensorEntity):
    """On while the unit answers the gateway."""

    @property
    @override
    def available(self) -> bool:
        return self.hub.home.connected and self.device is not None

    @property
    @override
    def is_on(self) -> bool | None:
        return None if self.device is None else self.device.reachable


class AtHome(HmEntity, BinarySensorEntity):
    """On while a person, or anyone, is home."""

    _attr_device_class = BinarySensorDeviceClass.PRESENCE

    def __init__(self, hub: Hub, person: str) -> None:
        """Makes it an entity of the gateway, with the name of the person."""
        super().__init__(hub, hub.gateway, f"presence_{person}")
        self._person = person
        self._attr_device_info = hub.devices.gateway_info()
        if person == ANYONE:
            self._attr_translation_key = ANYONE
        else:
            self._attr_name = next((one.name for one in self._persons if one.id == person), None)

    @property
    def _persons(self) -> tuple[PersonPresence, ...]:
        people = self.hub.home.people
        return () if people is None else people.persons

    @property
    def _presence(self) -> Presence | None:
        people = self.hub.home.people
        if self._person == ANYONE:
            return None if people is None else people.anyone
        return next((one for one in self._persons if one.id == self._person), None)

    @property
    @override
    def available(self) -> bool:
        return super().available and self._presence is not None

    @property
    @override
    def is_on(self) -> bool | None:
        presence = self._presence
        return None if presence is None else {"home": True, "away": False}.get(presence.is_)


class Connection(HmEntity, BinarySensorEntity):
    """On while the gateway is connected."""

    _attr_device_class = BinarySensorDeviceClass.CONNECTIVITY
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    def __init__(self, hub: Hub) -> None:
        """Makes it an entity of the gateway."""
        super().__init__(hub, hub.gateway, "connection")
        self._attr_device_info = hub.devices.gateway_info()

    @property
    @override
    def available(self) -> bool:
        return True

    @property
    @override
    def is_on(self) -> bool:
        return self.hub.home.connected
