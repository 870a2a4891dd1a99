"""Settings of units in plain words (Spec 2.7), as entities of the category configuration that are off at first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, override

from homeassistant.const import EntityCategory
from homeassistant.core import callback

from .entity import HmDeviceEntity
from .hm_gateway_client import HmClientError, HomeChange, HomeDevice, IntentDef, IntentsAnswer
from .hub import Hub

SHUTTER_GANG_INTENTS: Final = ("led_mode",)
"""The writable ones that a shutter gang has too (docs/intents.md)."""


def settings_of_type(hub: Hub, kind: str) -> Iterable[tuple[HomeDevice, IntentDef]]:
    """Each device with each setting that it has and whose value is of this JSON type, or ``enum`` for words."""
    for device in hub.home.devices.values():
        for intent in hub.intents.values():
            if _has(device, intent) and _type_of(intent) == kind:
                yield device, intent


class HmSetting(HmDeviceEntity):
    """One setting; its value is read from the gateway's cache when somebody wants to see it, and when it changed."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_entity_registry_enabled_default = False

    def __init__(self, hub: Hub, device: HomeDevice, intent: IntentDef) -> None:
        """The name is that of the intent, in translations."""
        super().__init__(hub, device)
        del self._attr_name
        self._attr_unique_id = f"{device.id}#{intent.id}"
        self._attr_translation_key = intent.id
        self.intent = intent
        self.confirmed: Any = None

    @property
    @override
    def available(self) -> bool:
        return super().available and self.confirmed is not None

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        await self._read()

    async def write(self, value: object) -> None:
        """Changes it; what the unit has then is shown."""
        answer = await self.ask(self.hub.client.set_intent(self.subject, self.intent.id, value))
        self.confirmed = answer.intent.value
        self.async_write_ha_state()

    @callback
    @override
    def _heard(self, change: HomeChange) -> None:
        if self.intent.id in change.intents or change.what == "home":
            self.hub.entry.async_create_task(self.hass, self._read_and_show(), "hm_gateway setting")
        super()._heard(change)

    async def _read_and_show(self) -> None:
        await self._read()
        self.async_write_ha_state()

    async def _read(self) -> None:
        try:
            answer = await self.hub.client.intents(self.subject)
        except HmClientError:
            # What cannot be read is not available until it changes or the home is read anew.
            self.confirmed = None
            return
        self.confirmed = _value_in(answer, self.intent.id)


def _value_in(answer: IntentsAnswer, intent: str) -> Any:
    return next((each.value for each in answer.intents if each.intent == intent), None)


def _has(device: HomeDevice, intent: IntentDef) -> bool:
    if device.model not in intent.models:
        return False
    if device.kind != "gang":
        return device.kind == "unit"
    return intent.per_gang and (device.class_ == "switch_gang" or intent.id in SHUTTER_GANG_INTENTS)


def _type_of(intent: IntentDef) -> str:
    """The type of its values; where a gang takes others than a unit, that of both."""
    shapes = intent.value.get("anyOf", [intent.value])
    kinds = {"enum" if "enum" in each else str(each.get("type")) for each in shapes}
    return kinds.pop() if len(kinds) == 1 else "mixed"
