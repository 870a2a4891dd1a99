"""Messages of the home for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, override

from homeassistant.components.event import EventEntity, EventEntityDescription
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HmEntity
from .hm_gateway_client import HomeChange
from .hub import HmConfigEntry, Hub

PARALLEL_UPDATES = 0
OTHER: Final = "other"
"""Stands for kinds that are newer than this integration."""
KINDS: Final = ["smoke", "water", "tamper", "entrance_open", "tell", "test", OTHER]
"""Kinds of messages that programs get (docs/messages.md)."""
MESSAGE: Final = EventEntityDescription(key="message", translation_key="message", event_types=KINDS)


async def async_setup_entry(hass: HomeAssistant, entry: HmConfigEntry, add: AddConfigEntryEntitiesCallback) -> None:
    """Sets up the entity of the messages."""
    entry.runtime_data.shown.add_platform(Platform.EVENT, add, of_home=_messages)


def _messages(hub: Hub) -> Iterable[HmEntity]:
    yield HomeMessages(hub, hub.gateway, MESSAGE.key)


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
