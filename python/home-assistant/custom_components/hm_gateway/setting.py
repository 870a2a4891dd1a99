"""Settings of units (Spec 2.7), as entities of the category configuration, disabled by default."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, override

from homeassistant.const import EntityCategory

from .entity import HmDeviceEntity
from .hm_gateway_client import HomeDevice, IntentDef
from .hub import Hub

SHUTTER_GANG_INTENTS: Final = ("led_mode",)
"""Writable settings that a shutter gang has too (docs/intents.md)."""


def settings_of_type(hub: Hub, device: HomeDevice, kind: str) -> Iterable[IntentDef]:
    """Settings of a device whose value has this JSON type, or ``enum`` for words."""
    return (intent for intent in hub.settings.intents.values() if _type_of(intent) == kind and _has(device, intent))


class HmSetting(HmDeviceEntity):
    """One setting, as its unit last confirmed it."""

    _attr_entity_category = EntityCategory.CONFIG
    _attr_entity_registry_enabled_default = False

    def __init__(self, hub: Hub, device: HomeDevice, intent: IntentDef) -> None:
        """Takes its name from the translations, by intent."""
        super().__init__(hub, device)
        del self._attr_name
        self._attr_unique_id = f"{device.id}#{intent.id}"
        self._attr_translation_key = intent.id
        self.intent = intent

    @property
    def confirmed(self) -> Any:
        """Its value; None if unknown."""
        return self.hub.settings.value(self.subject, self.intent.id)

    @property
    @override
    def available(self) -> bool:
        return super().available and self.confirmed is not None

    @override
    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        self.async_on_remove(self.hub.settings.watch(self.subject))

    async def write(self, value: object) -> None:
        """Changes the setting and shows the confirmed value."""
        answer = await self.ask(self.hub.client.set_intent(self.subject, self.intent.id, value))
        self.hub.settings.confirmed(self.subject, self.intent.id, answer.intent.value)


def _has(device: HomeDevice, intent: IntentDef) -> bool:
    if device.model not in intent.models:
        return False
    if device.kind != "gang":
        return device.kind == "unit"
    return intent.per_gang and (device.class_ == "switch_gang" or intent.id in SHUTTER_GANG_INTENTS)


def _type_of(intent: IntentDef) -> str:
    """JSON type of its values, common to units and gangs."""
    shapes = intent.value.get("anyOf", [intent.value])
    kinds = {"enum" if "enum" in shape else str(shape.get("type")) for shape in shapes}
    return kinds.pop() if len(kinds) == 1 else "mixed"
