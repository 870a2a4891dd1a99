"""Messages of the home for people, and touches of keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.components.event.const import ButtonEventType, EventDeviceClass
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmDeviceEntity, HmEntity
from .hm_gateway_client import HomeChange, HomeDevice
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0
OTHER: Final = "other"
"""Stands for kinds that are newer than this integration."""
KINDS: Final = ["smoke", "water", "tamper", "entrance_open", "tell", "test", OTHER]
"""Kinds of messages that programs get (docs/messages.md)."""
MESSAGE: Final = EventEntityDescription(key="message", translation_key="message", event_types=KINDS)
FACE: Final = ("up", "mode", "down")
"""Keys of a switch or gang."""
SIDES: Final = ("side_left", "side_right")
"""Keys of a module."""
KEYS_OF: Final = {
    "light_switch": FACE,
    "light_dimmer": FACE,
    "shutter": FACE,
    "power_switch": FACE,
    "sense_switch": FACE,
    "switch_gang": FACE,
    "shutter_gang": FACE,
    "gang_module": SIDES,
}
"""Keys of each class (docs/hmhc.md)."""
PRESSES: Final = {"short": ButtonEventType.PRESS_END, "long": ButtonEventType.LONG_PRESS_END}
"""A unit reports a touch at its end."""
KEYS: Final = {
    key: EventEntityDescription(
        key=f"key_{key}",
        translation_key=f"key_{key}",
        device_class=EventDeviceClass.BUTTON,
        event_types=[*PRESSES.values()],
    )
    for key in (*FACE, *SIDES)
}


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the entities of messages and keys."""
    entry.runtime_data.shown.add_platform(Platform.EVENT, add, of_home=_messages, of_device=_keys)


def _messages(hub: Hub) -> Iterable[HmEntity]:
    yield HomeMessages(hub, hub.gateway, MESSAGE.key)


def _keys(hub: Hub, device: HomeDevice) -> Iterable[HmEntity]:
    for key in KEYS_OF.get(device.class_, ()):
        yield Key(hub, device, KEYS[key])


class HomeMessages(HmEntity, EventEntity):
    """The last message of the home: its kind, with text, urgency and device."""

    def __init__(self, hub: Hub, subject: str, what: str) -> None:
        """Makes it an entity of the gateway."""
        super().__init__(hub, subject, what)
        self.entity_description = MESSAGE
        self._attr_device_info = hub.devices.gateway_info()

    @callback
    @override
    def _heard(self, change: HomeChange) -> None:
        message = self.hub.home.message
        if change.what == "message" and message is not None and message.state.change != "update":
            state = message.state
            kind = state.kind if state.kind in KINDS else OTHER
            device = self.hub.home.devices.get(message.device or "")
            self._trigger_event(
                kind,
                {
                    "title": state.title,
                    "urgency": state.urgency,
                    "device": None if device is None else device.name,
                    "repeat": state.repeat,
                    "id": state.id,
                },
            )
        super()._heard(change)


class Key(HmDeviceEntity, EventEntity):
    """A key of a switch, gang or module: its last touch, also if no state changed."""

    entity_description: EventEntityDescription

    @callback
    @override
    def _heard(self, change: HomeChange) -> None:
        touch = self.hub.home.touch
        if change.what == "touch" and touch is not None and self.entity_description is KEYS.get(touch.state.key):
            self._trigger_event(PRESSES.get(touch.state.press, ButtonEventType.PRESS_END))
        super()._heard(change)
